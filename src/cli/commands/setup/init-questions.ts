/** The questions of `init`, on a terminal. */
import { confirm, password, text } from '@clack/prompts';

import { OWN_SETTINGS, isUnencrypted } from '../../../config/shop-settings.ts';
import { sentence } from '../../../sync/report/problem.ts';

export type Login = { readonly url: string; readonly login: string; readonly apiKey: string };

/** The person pressed Ctrl-C. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/**
 * @param given the answer to begin with
 * @param allowHttp the setting SHOP_ALLOW_HTTP
 */
export async function askForAddress(given: string, allowHttp: string | undefined): Promise<string> {
  const url = answer(
    await text({
      message: 'Address of the shop',
      placeholder: 'https://shop.example',
      initialValue: given,
      validate: (value = '') =>
        problemOf('url', withScheme(value)) ?? unencryptedProblem(withScheme(value), allowHttp),
    }),
  );
  return withScheme(url);
}

/** @param given the login to begin with */
export async function askForLogin(given: string): Promise<Pick<Login, 'login' | 'apiKey'>> {
  const login = answer(
    await text({
      message: 'Administrator login of its API',
      initialValue: given,
      validate: (value) => problemOf('login', value),
    }),
  );
  const apiKey = answer(
    await password({ message: 'API key of that login', validate: (value) => problemOf('apiKey', value) }),
  );
  return { login, apiKey };
}

/** An address as people write it, such as `shop.example`, in full. */
export function withScheme(address: string): string {
  const given = address.trim();
  return given === '' || given.includes('://') ? given : `https://${given}`;
}

/** @param guess undefined: nothing speaks for any */
export async function askForZone(guess: string | undefined): Promise<string> {
  return answer(
    await text({
      message: "Time zone that the shop's orders are dated in",
      placeholder: 'such as Europe/Moscow',
      ...(guess === undefined ? {} : { initialValue: guess }),
      validate: (value) => problemOf('timezone', value),
    }),
  );
}

/** @param said what follows from the zone */
export async function askWhetherRight(said: string, isLikely: boolean): Promise<boolean> {
  const right = await confirm({ message: `${said}. Right?`, initialValue: isLikely });
  if (typeof right === 'symbol') throw new Cancelled('cancelled');
  return right;
}

function answer(given: string | symbol): string {
  if (typeof given === 'symbol') throw new Cancelled('cancelled');
  return given.trim();
}

/** @returns what is wrong with an answer, as a sentence */
function problemOf(name: keyof typeof OWN_SETTINGS, value: string | undefined): string | undefined {
  const given = (value ?? '').trim();
  if (given === '') return 'An answer is needed here.';
  const issue = OWN_SETTINGS[name].type.safeParse(given).error?.issues[0];
  return issue && sentence(`This ${issue.message}`);
}

function unencryptedProblem(url: string, allowHttp: string | undefined): string | undefined {
  return isUnencrypted({ url, allowHttp })
    ? 'The API key would travel unencrypted: use https, or set SHOP_ALLOW_HTTP=true before.'
    : undefined;
}
