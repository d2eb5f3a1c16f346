/**
 * What only `npm run test:long` tries. An everyday run tries a few of each kind: with all of them, it would take too long to be run
 * before every change.
 */
export const IS_LONG = (process.env['TEST_LONG'] ?? '') !== '';

/** In everyday runs only the cases of these names, each of which must be there. */
export function everyday<Case extends { readonly name: string }>(
  cases: readonly Case[],
  ...names: readonly string[]
): readonly Case[] {
  const chosen = names.map((name) => cases.find((one) => one.name.startsWith(name)));
  if (chosen.includes(undefined)) throw new Error(`no such case: ${names.join('; ')}`);
  return IS_LONG ? cases : cases.filter((one) => chosen.includes(one));
}
