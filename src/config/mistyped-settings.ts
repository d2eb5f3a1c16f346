import { nearestName } from './nearest-name.ts';

/** Beginnings that mark a name as meant for order-sync; with any other, a likeness would be chance. */
const OURS = /^(SHOPS?_|SYNC_|LINES_|USERS_MAX|GROUPS_MAX|PII_|FRESHNES)/;

/** Kubernetes and Docker set such names in every container beside a service called, say, `shop`. */
const INJECTED = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/**
 * Environment values that look like settings with a slip in the name: left unsaid, the setting would not be in force.
 *
 * @param settings names of all settings
 * @param used further names that are in use, as the shops file may name any
 * @returns a sentence for each
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
