import { TerminalError, UsageError } from '../../errors.ts';
import type { AuthSubject, LoginLink } from '../../shop-api/endpoints/request-login-link.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import { type CliContext, EXIT, type ExitCode } from '../output/io.ts';
import { apiOf, oneShopOf } from '../open.ts';

export type LoginLinkOptions = {
  readonly shop?: string;
  readonly json?: boolean;
  readonly email?: string;
  readonly login?: string;
  readonly userId?: string;
  readonly redirectUrl?: string;
};

/** `login-link`: asks for a one-time login link and prints it. Nothing of it is logged or kept. */
export async function loginLinkCommand(context: CliContext, options: LoginLinkOptions): Promise<ExitCode> {
  const subject = subjectOf(options);
  const shop = oneShopOf(context, options.shop);
  if (options.redirectUrl !== undefined && !URL.canParse(options.redirectUrl)) {
    throw new UsageError('--redirect-url must be an address, such as https://shop.example/account');
  }
  const link = await ask(apiOf(shop), subject, options.redirectUrl, context.signal);
  context.io.out(options.json === true ? `${JSON.stringify(link)}\n` : `${link.link}\n`);
  return EXIT.done;
}

async function ask(
  api: ShopApi,
  subject: AuthSubject,
  redirectUrl: string | undefined,
  signal: AbortSignal,
): Promise<LoginLink> {
  try {
    return await api.loginLink(subject, redirectUrl, signal);
  } catch (error) {
    const isUnknown = error instanceof TerminalError && error.status === 404;
    if (isUnknown) throw new TerminalError('the shop knows no such user, or SHOP_URL is wrong (HTTP 404)');
    throw error;
  }
}

function subjectOf({ email, login, userId }: LoginLinkOptions): AuthSubject {
  const given = [
    { by: 'email' as const, value: email },
    { by: 'login' as const, value: login },
    { by: 'user_id' as const, value: userId },
  ].flatMap(({ by, value }) => (value === undefined ? [] : [{ by, value: value.trim() }]));
  const [only, ...others] = given;
  if (only === undefined || others.length > 0) {
    throw new UsageError('login-link needs exactly one of --email, --login and --user-id');
  }
  // Whose link the shop would give for an empty text is not documented.
  if (only.value === '') throw new UsageError(`--${only.by.replace('_', '-')} is empty`);
  return only;
}
