/** The questions of `init`, on a terminal. */
import { confirm, password, text } from '@clack/prompts';

import { counted } from '../../../amount-text.ts';
import { OWN_SETTINGS, isUnencrypted } from '../../../config/shop-settings.ts';
import type { ZoneGuess } from '../../../plan/clock/guess-zone.ts';

export type Login = { readonly url: string; readonly login: string; readonly apiKey: string };

/** The person pressed Ctrl-C. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/**
 * @param given answers to begin with
 * @param allowHttp the setting SHOP_ALLOW_HTTP
 */
export async function askForLogin(
  given: Omit<Login, 'apiKey'>,
  allowHttp: string | undefined,
): Promise<Login> {
  const url = answer(
    await text({
      message: 'Address of the shop',
      placeholder: 'https://shop.example',
      initialValue: given.url,
      validate: (value = '') =>
        problemOf('url', withScheme(value)) ?? unencryptedProblem(withScheme(value), allowHttp),
    }),
  );
  const login = answer(
    await text({
      message: 'Administrator login of its API',
      initialValue: given.login,
      validate: (value) => problemOf('login', value),
    }),
  );
  const apiKey = answer(
    await password({ message: 'API key of that login', validate: (value) => problemOf('apiKey', value) }),
  );
  return { url: withScheme(url), login, apiKey };
}

/** An address as people write it, such as `shop.example`, in full. */
export function withScheme(address: string): string {
  const given = address.trim();
  return given === '' || given.includes('://') ? given : `https://${given}`;
}

export async function askForZone(guess: ZoneGuess): Promise<string> {
  return answer(
    await text({
      message: `Time zone of the shop (${describeGuess(guess)})`,
      initialValue: guess.zone,
      validate: (value) => problemOf('timezone', value),
    }),
  );
}

export async function askWhetherMeant(zone: string): Promise<boolean> {
  const meant = await confirm({ message: `Take ${zone} nevertheless?`, initialValue: false });
  if (typeof meant === 'symbol') throw new Cancelled('cancelled');
  return meant;
}

/** What speaks for a zone. */
export function describeGuess({ zone, orderMinutesAgo: minutes }: ZoneGuess): string {
  if (minutes === undefined) return 'it lists no order that could tell';
  const ago =
    minutes < 120 ? counted(Math.max(0, minutes), 'minute') : counted(Math.round(minutes / 60), 'hour');
  return `its newest order was placed ${ago} ago, if it is in ${zone}`;
}

function answer(given: string | symbol): string {
  if (typeof given === 'symbol') throw new Cancelled('cancelled');
  return given.trim();
}

/** @returns what is wrong with an answer, as a sentence */
function problemOf(name: keyof typeof OWN_SETTINGS, value: string | undefined): string | undefined {
  const issue = OWN_SETTINGS[name].type.safeParse((value ?? '').trim()).error?.issues[0];
  return issue && `This ${issue.message}.`;
}

function unencryptedProblem(url: string, allowHttp: string | undefined): string | undefined {
  return isUnencrypted({ url, allowHttp })
    ? 'The API key would travel unencrypted: use https, or set SHOP_ALLOW_HTTP=true before.'
    : undefined;
}
