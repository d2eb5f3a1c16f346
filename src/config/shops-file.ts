import { basename } from 'node:path';

import { z } from 'zod';

import { shopKey } from './setting-types.ts';
import { type Environment, readText, type SettingsSource } from './settings.ts';
import {
  isUnencrypted,
  OWN_SETTINGS,
  SHARED_SETTINGS,
  SHOP_SETTINGS,
  type ShopConfig,
  type ShopValues,
  toShopConfig,
} from './shop-settings.ts';
import {
  DEFAULT_NAMES,
  readSection,
  readValues,
  type Section,
  type SectionSchemas,
  sectionSchemas,
  SHOP_NAMES,
  spellings,
} from './shops-file-section.ts';
import { parseYaml, type Path, type Position, type YamlSource } from './yaml-source.ts';

export type ShopsFile = {
  readonly shops: readonly ShopConfig[];
  /** Environment variables that the file refers to. */
  readonly usedNames: ReadonlySet<string>;
};

/**
 * Reads the file that `SHOPS_FILE` names: YAML or JSON with a list `shops` and optional `defaults` for all of them.
 * Settings missing in both are taken from the environment.
 *
 * @param environment collects the problems found
 * @returns undefined if the file could not be read at all
 */
export function readShopsFile(
  path: string,
  environment: Environment,
  source: SettingsSource,
): ShopsFile | undefined {
  // Untrimmed, so that line numbers stay right.
  const content = readText(path, source.readFile);
  if (content === undefined) {
    // Omits the path: it may be the content of the file, set by mistake.
    environment.problem(
      'SHOPS_FILE names a file that is empty or cannot be read; check its path and permissions',
    );
    return undefined;
  }
  const report = ({ line, col }: Position, sentence: string) =>
    environment.problem(`${path}:${line}:${col}${sentence}`);
  const yaml = parseYaml(content);
  if ('problems' in yaml) {
    for (const { problem, ...position } of yaml.problems) report(position, `: ${problem}`);
    return undefined;
  }
  const usedNames = new Set<string>();
  const problems: (Position & { readonly sentence: string })[] = [];
  const open = createSectionOpener(yaml, (position, sentence) => problems.push({ ...position, sentence }));
  const shops = readShops(
    yaml.value,
    open,
    sectionSchemas(path, source, usedNames),
    environment,
    basename(path),
  );
  const inOrder = problems.toSorted((a, b) => a.line - b.line || a.col - b.col);
  for (const { sentence, ...position } of inOrder) report(position, sentence);
  return { shops, usedNames };
}

type OpenSection = (given: unknown, path: Path, where: string) => Section;

function createSectionOpener(
  yaml: YamlSource,
  report: (position: Position, sentence: string) => void,
): OpenSection {
  return (given, path, where) => ({
    ...yaml.findPosition(path),
    given,
    isSet: (field) => spellings(field).some((name) => Object.hasOwn(Object(given), name)),
    problem: (sentence, field) =>
      report(yaml.findPosition(field === undefined ? path : [...path, field]), `, ${where}: ${sentence}`),
  });
}

const topSchema = z.strictObject({ shops: z.array(z.unknown()), defaults: z.unknown().optional() });

function readShops(
  value: unknown,
  open: OpenSection,
  schemas: SectionSchemas,
  environment: Environment,
  file: string,
): readonly ShopConfig[] {
  const top = open(value, [], 'top level');
  const given = topSchema.loose().safeParse(value).data;
  if (given === undefined) {
    top.problem('expected a list of shops: "shops:" with a "- key: …" for each', 'shops');
    return [];
  }
  readSection(top, topSchema, Object.keys(topSchema.shape));
  if (given.shops.length === 0) top.problem('the list of shops is empty; add one', 'shops');
  const defaults = open(given.defaults ?? {}, ['defaults'], 'defaults');
  const shared = {
    ...environment.read(SHARED_SETTINGS),
    ...readValues(defaults, schemas.defaults, DEFAULT_NAMES),
  };
  const shops = given.shops.flatMap((each, index) => {
    const { key } = z.object({ key: shopKey }).safeParse(each).data ?? {};
    const shop = open(each, ['shops', index], key === undefined ? `shop no. ${index + 1}` : `shop ${key}`);
    const own = readValues(shop, schemas.shop, SHOP_NAMES);
    return own === undefined ? [] : [{ shop, values: checkShop(shop, defaults, { ...shared, ...own }) }];
  });
  rejectDuplicates(shops);
  return shops.map(({ shop, values }) => ({
    ...toShopConfig(values),
    settingNames: { where: `shop ${values.key ?? ''} in ${file}`, names: namesIn(shop, defaults) },
  }));
}

/** What the settings are called in the file, by their names in the environment. */
function namesIn(shop: Section, defaults: Section): Readonly<Record<string, string>> {
  const isGiven = (name: string) =>
    [shop, defaults].some(
      ({ given }) => typeof given === 'object' && given !== null && Object.hasOwn(given, name),
    );
  return Object.fromEntries(
    Object.entries(SHOP_SETTINGS).map(([field, { env }]) => [env, spellings(field).find(isGiven) ?? field]),
  );
}

/** Checks rules across the settings of a shop and the defaults. */
function checkShop(shop: Section, defaults: Section, values: ShopValues): ShopValues {
  for (const [field, { meaning }] of Object.entries(OWN_SETTINGS)) {
    if (shop.isSet(field) || defaults.isSet(field)) continue;
    const others = spellings(field).length > 1 ? ` (${spellings(field).join(', ')})` : '';
    shop.problem(`${field} is not set: ${meaning}${others}`);
  }
  if (isUnencrypted(values)) {
    shop.problem('url would send the API key unencrypted; use https, or set allowHttp: true', 'url');
  }
  return values;
}

/** Two shops with one key would share their rows; one shop under two keys would be stored twice. */
function rejectDuplicates(shops: readonly { readonly shop: Section; readonly values: ShopValues }[]): void {
  for (const [index, { shop, values }] of shops.entries()) {
    const { key, url, login } = values;
    for (const earlier of shops.slice(0, index)) {
      const where = `the shop on line ${earlier.shop.line}`;
      if (key !== undefined && earlier.values.key === key) {
        shop.problem(`key is already used by ${where}; give each shop its own`, 'key');
      }
      const isSame = earlier.values.url === url && earlier.values.login === login;
      if (isSame && url !== undefined && login !== undefined) {
        shop.problem(`url and login are already used by ${where}; list each shop once`, 'url');
      }
    }
  }
}
