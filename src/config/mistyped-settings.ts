import { nearestName } from './nearest-name.ts';

/** Prefixes that mark a name as meant for order-sync; for other names a similarity would be a coincidence. */
const OURS =
  /^(SHOPS?_|SHOPS?(URL|LOGIN|KEY|API|TIME|FILE)|SYNC_|LINES_|USERS_MAX|GROUPS_MAX|PII_|RAW_KE|OPS_PASS|FRESHNES)/;

/** Kubernetes and Docker set such names in every container next to a service called `shop`, for example. */
const INJECTED = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/**
 * Finds environment variables that look like mistyped settings, which would otherwise be ignored silently.
 *
 * @param used other names in use, since the shops file may name any variable
 */
export function mistypedSettings(
  env: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
  used: ReadonlySet<string>,
): readonly string[] {
  const known = settings.flatMap((name) => [name, `${name}_FILE`]);
  return Object.entries(env).flatMap(([name, value = '']) => {
    const isForeign = !OURS.test(name) || INJECTED.test(name) || value.trim() === '';
    if (isForeign || known.includes(name) || used.has(name)) return [];
    const meant = nearestName(name, known);
    return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}?`];
  });
}
