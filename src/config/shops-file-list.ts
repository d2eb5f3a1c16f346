import { isShopKey, parseShopKey } from './setting-parsers.ts';
import type { Settings } from './settings.ts';
import {
  MEANINGS,
  OWN_FIELDS,
  readShop,
  SHOP_FIELDS,
  type ShopConfig,
  type ShopField,
  type ShopReader,
} from './shop-settings.ts';
import { type FileMeans, openSection, refuseUnknown, type Section, spellings } from './shops-file-section.ts';
import type { YamlMap, YamlTree } from './yaml-tree.ts';

const SHOP_NAMES = Object.keys(SHOP_FIELDS).flatMap(spellings);
/** What two shops cannot share. */
const UNSHARED = ['key', 'url'];
const DEFAULT_NAMES = SHOP_NAMES.filter((name) => !UNSHARED.includes(name));

/**
 * The shops of a shops file.
 *
 * @param settings of the environment, for what the file does not set
 */
export function readShops(tree: YamlTree, means: FileMeans, settings: Settings): readonly ShopConfig[] {
  const top = tree.kind === 'map' ? tree : undefined;
  const list = top?.entries.get('shops');
  if (top === undefined || list === undefined || list.value.kind !== 'list') {
    const expected = 'a list of shops is expected, as "shops:" and a "- key: …" for each';
    means.problem(list?.line ?? tree.line, 'top level', expected);
    return [];
  }
  refuseUnknown(top, ['shops', 'defaults'], openSection(means, top, 'top level'));
  const defaults = defaultsOf(top, means);
  if (list.value.items.length === 0) {
    means.problem(list.line, 'top level', 'the list of shops is empty; add one');
  }
  const shops = list.value.items.flatMap((item, index) => {
    const section = shopSection(item, index + 1, means);
    return section ? [{ section, config: shopOf(section, defaults, settings) }] : [];
  });
  refuseTwins(shops);
  return shops.map(({ config }) => config);
}

function defaultsOf(top: YamlMap, means: FileMeans): Section | undefined {
  const entry = top.entries.get('defaults');
  if (entry === undefined) return undefined;
  if (entry.value.kind !== 'map') {
    means.problem(entry.line, 'defaults', 'must be a mapping, such as "maxRps: 5"');
    return undefined;
  }
  const section = openSection(means, entry.value, 'defaults');
  const { entries, ...rest } = entry.value;
  const shared = new Map([...entries].filter(([name]) => !UNSHARED.includes(name)));
  refuseUnknown({ ...rest, entries: shared }, DEFAULT_NAMES, section);
  for (const name of UNSHARED) {
    if (section.has(name)) section.problem(`${name} belongs to one shop; move it there`, name);
  }
  return section;
}

function shopSection(item: YamlTree, position: number, means: FileMeans): Section | undefined {
  if (item.kind !== 'map') {
    means.problem(item.line, `shop no. ${position}`, 'must be a mapping, such as "key: north"');
    return undefined;
  }
  const key = item.entries.get('key')?.value;
  const isGood = key?.kind === 'text' && isShopKey(key.text);
  const section = openSection(means, item, isGood ? `shop ${key.text}` : `shop no. ${position}`);
  refuseUnknown(item, SHOP_NAMES, section);
  return section;
}

function shopOf(section: Section, defaults: Section | undefined, settings: Settings): ShopConfig {
  const parsed: ShopReader['parsed'] = (field, parse, fallback) => {
    const outer = isOwn(field) ? fallback : settings.parsed(SHOP_FIELDS[field], parse, fallback);
    return section.parsed(field, parse, defaults?.parsed(field, parse, outer) ?? outer);
  };
  const required: ShopReader['required'] = (field, parse) => {
    const isSet = section.has(field) || defaults?.has(field) === true;
    const others = spellings(field).length > 1 ? ` (${spellings(field).join(', ')})` : '';
    if (!isSet) section.problem(`${field} is not set: ${MEANINGS[field]}${others}`);
    return parsed(field, parse, '');
  };
  const spell: ShopReader['spell'] = (field, value) => (value === undefined ? field : `${field}: ${value}`);
  if (!section.has('key')) section.problem(`key is not set: ${MEANINGS.key}`);
  return readShop({ parsed, required, spell }, section.parsed('key', parseShopKey, ''));
}

function isOwn(field: ShopField): boolean {
  return OWN_FIELDS.some((own) => own === field);
}

/** Two shops of one key would share their rows; one shop under two keys would be held twice. */
function refuseTwins(shops: readonly { readonly section: Section; readonly config: ShopConfig }[]): void {
  for (const [index, { section, config }] of shops.entries()) {
    const { shopKey, baseUrl, login } = config;
    for (const earlier of shops.slice(0, index)) {
      const where = `the shop in line ${earlier.section.line}`;
      if (shopKey !== '' && earlier.config.shopKey === shopKey) {
        section.problem(`key is that of ${where} as well; give each shop its own`, 'key');
      }
      const isSame = earlier.config.baseUrl === baseUrl && earlier.config.login === login;
      if (isSame && baseUrl !== '' && login !== '') {
        section.problem(`url and login are those of ${where} as well; list each shop once`, 'url');
      }
    }
  }
}
