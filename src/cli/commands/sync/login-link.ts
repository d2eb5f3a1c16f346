import { TerminalError, UsageError } from '../../../model/errors.ts';
import type { AuthSubject } from '../../../shop-api/endpoints/request-login-link.ts';
import { createShopApi } from '../../../shop-api/shop-api.ts';
import type { CommandOptions } from '../../options.ts';
import type { CliContext } from '../../output/io.ts';
import { print } from '../../output/layout.ts';
import { readOneShop } from '../../shops.ts';

type LoginLinkOptions = CommandOptions<'shop' | 'email' | 'login' | 'userId' | 'redirectUrl'>;

/** `login-link`: requests a one-time login link and prints it, without logging or storing it. */
export async function loginLinkCommand(context: CliContext, options: LoginLinkOptions) {
  const subject = readSubject(options);
  const shop = readOneShop(context, options.shop);
  if (options.redirectUrl !== undefined && !URL.canParse(options.redirectUrl)) {
    throw new UsageError('--redirect-url must be an address, such as https://shop.example/account');
  }
  try {
    const link = await createShopApi(shop).loginLink(subject, options.redirectUrl, context.signal);
    print(context, [link.link], [link]);
  } catch (error) {
    const isUnknown = error instanceof TerminalError && error.status === 404;
    if (isUnknown)
      throw new TerminalError('the shop has no such user, or the address of the shop is wrong (HTTP 404)');
    throw error;
  }
}

function readSubject({ email, login, userId }: LoginLinkOptions): AuthSubject {
  const given = [
    { by: 'email' as const, value: email },
    { by: 'login' as const, value: login },
    { by: 'user_id' as const, value: userId },
  ].flatMap(({ by, value }) => (value === undefined ? [] : [{ by, value: value.trim() }]));
  const [only, ...others] = given;
  if (only === undefined || others.length > 0) {
    throw new UsageError('give exactly one of --email, --login and --user-id');
  }
  // Whose link the shop returns for an empty value is not documented.
  if (only.value === '') throw new UsageError(`--${only.by.replace('_', '-')} is empty`);
  return only;
}
