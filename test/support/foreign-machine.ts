/** Before the tests: a machine whose zone and language no shop of a test has, so that what depends on either is wrong. */

/** A day ahead of Berlin for half of it, and a language that writes 1.234,5. */
export const FOREIGN_MACHINE = { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8' } as const;

/** These would count more than `LANG`. */
const OTHER_LANGUAGES = ['LC_ALL', 'LC_CTYPE', 'LC_MESSAGES', 'LC_NUMERIC', 'LC_TIME', 'LANGUAGE'];

/** The processes of the tests inherit it: a language is chosen when a process starts. */
export function setup(): void {
  for (const name of OTHER_LANGUAGES) delete process.env[name];
  Object.assign(process.env, FOREIGN_MACHINE);
}
