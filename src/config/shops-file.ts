import { basename, dirname, isAbsolute, join } from 'node:path';

import { nearestName } from './nearest-name.ts';
import { text } from './setting-types.ts';
import { type Environment, readSettings } from './read-settings.ts';
import { OWN_SETTINGS, SHARED_SETTINGS, SHOP_SETTINGS, type ShopValues } from './settings.ts';
import { isUnencrypted, type ShopConfig, toShopConfig } from './shop-settings.ts';
import { parseYaml } from './yaml-source.ts';

export type ShopsFile = {
  readonly shops: readonly ShopConfig[];
  /** Environment variables that the file refers to. */
  readonly usedNames: ReadonlySet<string>;
};

/** One mapping of the file: a shop, the defaults, or the top level. */
type Section = {
  /** Such as `shops.1`, counted from 0. */
  readonly path: string;
  /** Empty where there is something else in its place. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Adds a problem of one setting, or of the section, as the rest of a sentence that begins with its path. */
  readonly problem: (message: string, field?: string) => void;
};

/** Finds the text of a setting, wherever the section says that it is. */
type FindText = (section: Section, field: string) => unknown;

/** Settings that may be stored elsewhere: `apiKeyFile` names a file, `apiKeyEnv` an environment variable. */
const SECRETS = ['apiKey', 'piiSecret'];
/** The names that can set a field. */
const spellings = (field: string) =>
  SECRETS.includes(field) ? [field, `${field}File`, `${field}Env`] : [field];
const SHOP_NAMES = Object.keys(SHOP_SETTINGS).flatMap(spellings);
/** Two shops cannot share these. */
const UNSHARED = ['key', 'url'];
const DEFAULT_NAMES = SHOP_NAMES.filter((name) => !UNSHARED.includes(name));

/**
 * Reads the file that `SHOPS_FILE` names: YAML or JSON with a list `shops` and optional `defaults` for all of them.
 * Settings missing in both are taken from the environment.
 *
 * @param environment collects the problems, none of which repeats a value: it may be a secret under the wrong name
 * @returns undefined if the file could not be read at all
 */
export function readShopsFile(path: string, environment: Environment): ShopsFile | undefined {
  const content = environment.readFile(path);
  if (content === undefined) {
    // Omits the path: it may be the content of the file, set by mistake.
    environment.problem(
      'SHOPS_FILE names a file that is empty or cannot be read; check its path and permissions',
    );
    return undefined;
  }
  const report = (problem: string) => environment.problem(`${path}: ${problem}`);
  const yaml = parseYaml(content);
  if ('problems' in yaml) {
    for (const problem of yaml.problems) report(problem);
    return undefined;
  }
  const open: OpenSection = (given, path) => ({
    path,
    given: isMapping(given) ? given : {},
    problem: (message, field) =>
      report(`${[path, field].filter(Boolean).join('.') || 'the top level'} ${message}`),
  });
  const usedNames = new Set<string>();
  const findText = textFinder(dirname(path), environment, usedNames);
  const shops = readShops(yaml.value, open, findText, environment.read(SHARED_SETTINGS));
  const named = shops.map(({ values, names }) => ({
    ...toShopConfig(values),
    settingNames: { where: `shop ${values.key ?? ''} in ${basename(path)}`, names },
  }));
  return { shops: named, usedNames };
}

type OpenSection = (given: unknown, path: string) => Section;

function isMapping(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

/** @param usedNames receives the environment variables that are named */
function textFinder(folder: string, environment: Environment, usedNames: Set<string>): FindText {
  const findFile = (given: string) =>
    environment.readFile(isAbsolute(given) ? given : join(folder, given))?.trim();
  const findVariable = (given: string) => {
    usedNames.add(given);
    // The file may name anything, and `toString` is no variable.
    return (Object.hasOwn(environment.env, given) && environment.env[given]?.trim()) || undefined;
  };
  return ({ given, problem }, field) => {
    const ways = spellings(field);
    const [name = field, ...others] = Object.keys(given).filter((each) => ways.includes(each));
    if (others.length > 0) {
      const [one, other] = ways.filter((way) => Object.hasOwn(given, way));
      problem(`has both ${one} and ${other}; keep one of them`);
      return undefined;
    }
    if (name === field) return Object.hasOwn(given, field) ? given[field] : undefined;
    const { data: place, error } = text.safeParse(given[name]);
    const isFile = name.endsWith('File');
    const found = place && (isFile ? findFile(place) : findVariable(place));
    const isMissing = isFile
      ? 'names a file that is empty or cannot be read; check its permissions and its path, relative to the shops file'
      : 'names an environment variable that is not set';
    if (found === undefined) problem(error?.issues[0]?.message ?? isMissing, name);
    return found;
  };
}

type ReadShop = {
  readonly shop: Section;
  readonly values: ShopValues;
  /** What the settings are called in the file, by their names in the environment. */
  readonly names: Readonly<Record<string, string>>;
};

/** @param common settings of the environment */
function readShops(
  value: unknown,
  open: OpenSection,
  findText: FindText,
  common: ShopValues,
): readonly ReadShop[] {
  const top = open(value, '');
  const { shops: list, defaults: given = {} } = top.given;
  if (!Array.isArray(list)) {
    top.problem('must be a list of shops: "shops:" with a "- key: …" for each', 'shops');
    return [];
  }
  rejectUnknown(top, ['shops', 'defaults']);
  if (list.length === 0) top.problem('is empty; add a shop', 'shops');
  const defaults = open(given, 'defaults');
  if (!isMapping(given)) defaults.problem('must be a mapping, such as "maxRps: 5"');
  const shared = { ...common, ...readSection(defaults, DEFAULT_NAMES, findText) };
  const shops = list.flatMap((each: unknown, index): readonly ReadShop[] => {
    const shop = open(each, `shops.${index}`);
    if (!isMapping(each)) {
      shop.problem('must be a mapping, such as "key: north"');
      return [];
    }
    const values = { ...shared, ...readSection(shop, SHOP_NAMES, findText) };
    const isGiven = (name: string) => [shop, defaults].some((section) => Object.hasOwn(section.given, name));
    checkShop(shop, values, isGiven);
    const names = Object.entries(SHOP_SETTINGS).map(([field, { env }]) => [
      env,
      spellings(field).find(isGiven) ?? field,
    ]);
    return [{ shop, values, names: Object.fromEntries(names) }];
  });
  rejectDuplicates(shops);
  return shops;
}

function readSection(section: Section, names: readonly string[], findText: FindText): ShopValues {
  rejectUnknown(section, names);
  const find = (field: string) => (names.includes(field) ? findText(section, field) : undefined);
  return readSettings(SHOP_SETTINGS, find, (field, _env, message) => section.problem(message, field));
}

/** An unknown name is repeated only if it resembles one: it may be part of an unquoted secret. */
function rejectUnknown({ given, problem }: Section, names: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const meant = findSimilarName(name, names);
    if (UNSHARED.includes(name) && names === DEFAULT_NAMES)
      problem('belongs to one shop; move it there', name);
    else if (meant === undefined)
      problem(`has a name that is no setting; the settings are ${names.join(', ')}`);
    else problem(`is not a setting; did you mean ${meant}?`, name);
  }
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

/** Checks rules across the settings of a shop and the defaults. */
function checkShop(shop: Section, values: ShopValues, isGiven: (name: string) => boolean): void {
  for (const [field, { meaning }] of Object.entries(OWN_SETTINGS)) {
    const ways = spellings(field);
    if (ways.some(isGiven)) continue;
    shop.problem(`is not set: ${meaning}${ways.length > 1 ? ` (${ways.join(', ')})` : ''}`, field);
  }
  if (isUnencrypted(values)) {
    shop.problem('would send the API key unencrypted; use https, or set allowHttp: true', 'url');
  }
}

/** Two shops with one key would share their rows; one shop under two keys would be stored twice. */
function rejectDuplicates(shops: readonly ReadShop[]): void {
  for (const [index, { shop, values }] of shops.entries()) {
    const { key, url, login } = values;
    for (const earlier of shops.slice(0, index)) {
      const { path } = earlier.shop;
      if (key !== undefined && earlier.values.key === key) {
        shop.problem(`is already used by ${path}; give each shop its own`, 'key');
      }
      const isSame = earlier.values.url === url && earlier.values.login === login;
      if (isSame && url !== undefined && login !== undefined) {
        shop.problem(`has the url and login of ${path}; list each shop once`);
      }
    }
  }
}
