import { nearestName } from './nearest-name.ts';
import type { YamlEntry, YamlMap } from './yaml-tree.ts';

/** What the reading of a shops file needs from outside of it. */
export type FileMeans = {
  /** @param where which part of the file it is about, such as `shop north` */
  readonly problem: (line: number, where: string, sentence: string) => void;
  /** @returns the text of a file, seen from the folder of the shops file; undefined when empty or unreadable */
  readonly readSecret: (path: string) => string | undefined;
  /** @returns undefined when not set */
  readonly env: (name: string) => string | undefined;
};

/** One mapping of the shops file: a shop, or the defaults. */
export type Section = {
  readonly has: (field: string) => boolean;
  readonly parsed: <Value, Fallback>(
    field: string,
    parse: (text: string) => Value,
    fallback: Fallback,
  ) => Value | Fallback;
  /** Keeps a problem of the section: of one setting, or of the whole. */
  readonly problem: (sentence: string, field?: string) => void;
  readonly line: number;
};

/** Settings that may stand elsewhere: `apiKeyFile` names a file, `apiKeyEnv` an environment variable. */
const SECRETS = ['apiKey', 'piiSecret'];

/** The ways to write a setting. */
export function spellings(field: string): readonly string[] {
  return SECRETS.includes(field) ? [field, `${field}File`, `${field}Env`] : [field];
}

/** @param where which section it is, such as `shop north` */
export function openSection(means: FileMeans, map: YamlMap, where: string): Section {
  const { entries, line } = map;
  const tell = (at: number, sentence: string) => means.problem(at, where, sentence);
  const problem = (sentence: string, field?: string) =>
    tell(entries.get(field ?? '')?.line ?? line, sentence);
  const set = (field: string) => spellings(field).filter((name) => entries.has(name));
  const textOf = (field: string): string | undefined => {
    const [name, other] = set(field);
    const entry = name === undefined ? undefined : entries.get(name);
    if (name === undefined || entry === undefined) return undefined;
    const second = entries.get(other ?? '');
    if (second !== undefined) {
      tell(Math.max(entry.line, second.line), `${name} and ${other} are both set; keep one of them`);
      return undefined;
    }
    const found = resolve(means, name, entry);
    if ('wrong' in found) tell(entry.line, `${name} ${found.wrong}`);
    return 'text' in found ? found.text : undefined;
  };
  return {
    line,
    has: (field) => set(field).length > 0,
    problem,
    parsed(field, parse, fallback) {
      const text = textOf(field);
      if (text === undefined) return fallback;
      try {
        return parse(text);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        problem(`${set(field)[0]} ${error.message}`, set(field)[0]);
        return fallback;
      }
    },
  };
}

/** The wrong ones repeat neither path nor name: either may be the secret itself, set under the wrong name. */
function resolve(
  means: FileMeans,
  name: string,
  { value }: YamlEntry,
): { readonly text: string } | { readonly wrong: string } {
  if (value.kind !== 'text') return { wrong: 'must be a single value, not a list or a mapping' };
  if (value.text === '') return { wrong: 'is empty; give it a value, or leave it out' };
  if (SECRETS.some((secret) => name === `${secret}File`)) {
    const text = means.readSecret(value.text);
    const wrong =
      'names a file that is empty or cannot be read; check its path, which starts at the shops file, and its rights';
    return text === undefined ? { wrong } : { text };
  }
  if (SECRETS.some((secret) => name === `${secret}Env`)) {
    const text = means.env(value.text);
    return text === undefined ? { wrong: 'names an environment variable that is not set' } : { text };
  }
  return { text: value.text };
}

/**
 * Keeps a problem for each name that is not known. A name is repeated only where it is much like a known one: any
 * other may be a piece of a secret that got there for want of quotes.
 */
export function refuseUnknown(map: YamlMap, known: readonly string[], section: Section): void {
  for (const name of map.entries.keys()) {
    if (known.includes(name)) continue;
    const meant = likeName(name, known);
    const sentence =
      meant === undefined
        ? `this is not a setting; the settings are ${known.join(', ')}`
        : `${name} is not a setting; did you mean ${meant}?`;
    section.problem(sentence, name);
  }
}

/** `api_key`, `SHOP_API_KEY` and `apikey` are `apiKey`; else a slip of the keyboard is looked for. */
function likeName(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/^shop[_-]/, '')
      .replaceAll(/[_-]/g, '');
  return known.find((candidate) => plain(candidate) === plain(name)) ?? nearestName(name, known);
}
