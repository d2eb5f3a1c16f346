/** Text of which parts belong to no character: broken bytes, which stand in it as lone surrogates, and lone surrogates. */

/** With the flag `u` a surrogate is matched only where it is not half of a pair. */
const LONE_SURROGATE = /[\ud800-\udfff]/gu;

/** The text with a question mark in the place of each part that is no character. */
export function withoutBroken(text: string): string {
  return text.isWellFormed() ? text : text.replace(LONE_SURROGATE, '?');
}

/** The text with each part that is no character replaced by what `spell` makes of its four hexadecimal digits. */
export function spellBroken(text: string, spell: (digits: string) => string): string {
  return text.replace(LONE_SURROGATE, (part) => spell(part.charCodeAt(0).toString(16)));
}

/** Whether PostgreSQL refuses JSON of `JSON.stringify`, which escapes NUL characters and lone surrogates. An escaped backslash may be taken for one. */
export function isRefused(json: string): boolean {
  return /\\u0000|\\ud[89a-f]/i.test(json);
}
