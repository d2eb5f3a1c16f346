import { dirname, isAbsolute, join } from 'node:path';

import { z } from 'zod';

import { nearestName } from './nearest-name.ts';
import { text } from './setting-types.ts';
import { readValid, readText, type SettingsSource, toZodShape } from './settings.ts';
import { SHOP_SETTINGS, type ShopValues } from './shop-settings.ts';
import type { Position } from './yaml-source.ts';

/** One mapping of the file: a shop, the defaults, or the top level. */
export type Section = Position & {
  readonly given: unknown;
  readonly isSet: (field: string) => boolean;
  /** Adds a problem of one setting, or of the section. */
  readonly problem: (sentence: string, field?: string) => void;
};

/** Settings that may be stored elsewhere: `apiKeyFile` names a file, `apiKeyEnv` an environment variable. */
const SECRETS = ['apiKey', 'piiSecret'];
/** The names that can set a field. */
export const spellings = (field: string) =>
  SECRETS.includes(field) ? [field, `${field}File`, `${field}Env`] : [field];
export const SHOP_NAMES = Object.keys(SHOP_SETTINGS).flatMap(spellings);
export const DEFAULT_NAMES = SHOP_NAMES.filter((name) => !['key', 'url'].includes(name));

/** Schemas of a shop and of the defaults. Their messages repeat no value: it may be a secret under the wrong name. */
export function sectionSchemas(path: string, { env, readFile }: SettingsSource, usedNames: Set<string>) {
  // Many shops may share a secret of the defaults, and its file may be a pipe, which can be read only once.
  const texts = new Map<string, string | undefined>();
  const secretFile = text.transform((given, context) => {
    const file = isAbsolute(given) ? given : join(dirname(path), given);
    if (!texts.has(file)) texts.set(file, readText(file, readFile)?.trim());
    const found = texts.get(file);
    if (found !== undefined) return found;
    context.addIssue(
      'names a file that is empty or cannot be read; check its permissions and its path, relative to the shops file',
    );
    return z.NEVER;
  });
  const variable = text.transform((given, context) => {
    usedNames.add(given);
    // The file may name anything, and `toString` is no variable.
    const found = Object.hasOwn(env, given) ? env[given]?.trim() : undefined;
    if (found) return found;
    context.addIssue('names an environment variable that is not set');
    return z.NEVER;
  });
  const shop = z.strictObject(
    {
      ...toZodShape(SHOP_SETTINGS),
      apiKeyFile: secretFile,
      apiKeyEnv: variable,
      piiSecretFile: secretFile,
      piiSecretEnv: variable,
    },
    'must be a mapping, such as "key: north"',
  );
  // Two shops cannot share these.
  const unshared = z.never('belongs to one shop; move it there');
  const defaults = z.strictObject(
    { ...shop.shape, key: unshared, url: unshared },
    'must be a mapping, such as "maxRps: 5"',
  );
  return { shop: shop.partial(), defaults: defaults.partial() };
}

export type SectionSchemas = ReturnType<typeof sectionSchemas>;

/** Reads a section's settings, resolving secrets stored elsewhere. */
export function readValues(
  section: Section,
  schema: z.ZodType<z.output<SectionSchemas['shop'] | SectionSchemas['defaults']>>,
  names: readonly string[],
): ShopValues | undefined {
  const values = readSection(rejectDoubles(section), schema, names);
  if (values === undefined) return undefined;
  const { apiKeyFile, apiKeyEnv, piiSecretFile, piiSecretEnv, ...others } = values;
  const [apiKey, piiSecret] = [apiKeyFile ?? apiKeyEnv, piiSecretFile ?? piiSecretEnv];
  return {
    ...others,
    ...(apiKey !== undefined && { apiKey }),
    ...(piiSecret !== undefined && { piiSecret }),
  };
}

/** Removes secrets that are set in two ways, and reports them. */
function rejectDoubles(section: Section): Section {
  if (typeof section.given !== 'object' || section.given === null) return section;
  let entries = Object.entries(section.given);
  for (const ways of SECRETS.map(spellings)) {
    const set = entries.map(([name]) => name).filter((name) => ways.includes(name));
    if (set.length < 2) continue;
    const [name, other] = ways.filter((way) => set.includes(way));
    section.problem(`${name} and ${other} are both set; keep one of them`, set.at(-1));
    entries = entries.filter(([name]) => !ways.includes(name));
  }
  return { ...section, given: Object.fromEntries(entries) };
}

/**
 * @param names known settings; an unknown one is repeated only if it resembles one: it may be part of an unquoted
 * secret
 */
export function readSection<Values>(
  section: Section,
  schema: z.ZodType<Values>,
  names: readonly string[],
): Values | undefined {
  return readValid(schema, section.given, (issue) => {
    if (issue.code === 'unrecognized_keys') {
      for (const name of issue.keys) {
        const meant = findSimilarName(name, names);
        const sentence =
          meant === undefined
            ? `this is not a setting; the settings are ${names.join(', ')}`
            : `${name} is not a setting; did you mean ${meant}?`;
        section.problem(sentence, name);
      }
      return;
    }
    const [field] = issue.path;
    if (field === undefined) section.problem(issue.message);
    else section.problem(`${String(field)} ${issue.message}`, String(field));
  });
}

/** `api_key`, `SHOP_API_KEY` and `apikey` mean `apiKey`; other names may be typos. */
function findSimilarName(name: string, known: readonly string[]): string | undefined {
  const plain = (given: string) =>
    given
      .toLowerCase()
      .replace(/^shop[_-]/, '')
      .replaceAll(/[_-]/g, '');
  return known.find((candidate) => plain(candidate) === plain(name)) ?? nearestName(name, known);
}
