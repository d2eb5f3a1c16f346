import { dirname, isAbsolute, join } from 'node:path';

import { isAlias, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { z } from 'zod';

import type { Environment, RawSetting, RawSettings } from './environment.ts';
import { nearestName } from './nearest-name.ts';
import { SHARED_SETTINGS, SHOP_SETTINGS } from './settings.ts';
import { SHOP, type ShopConfig, toShopConfig } from './shop-config.ts';

type Mapping = Readonly<Record<string, unknown>>;

const mapping = z.record(z.string(), z.unknown(), 'must be a mapping, such as "maxRps: 5"');
const FILE = z.strictObject(
  {
    defaults: mapping.default({}),
    shops: z
      .array(mapping, 'must be a list of shops: "shops:" with a "- key: …" for each')
      .min(1, 'is empty; add a shop'),
  },
  'may contain only a list "shops" and "defaults"',
);

/** Secrets may be elsewhere: `apiKeyFile` names a file, relative to this one, and `apiKeyEnv` an environment variable. */
const ELSEWHERE = /^(apiKey|piiSecret)(File|Env)$/;
const NAMES = Object.keys(SHOP_SETTINGS).flatMap((field) =>
  ELSEWHERE.test(`${field}File`) ? [field, `${field}File`, `${field}Env`] : [field],
);

/**
 * Reads the file that `SHOPS_FILE` names: YAML or JSON with a list `shops` and optional `defaults` for all of them.
 * Settings missing in both are taken from the environment.
 *
 * @param environment collects the problems, none of which repeats a value: it may be a secret under the wrong name
 * @returns undefined where something is wrong with it
 */
export function readShopsFile(path: string, environment: Environment): readonly ShopConfig[] | undefined {
  const file = parseFile(path, environment);
  if (file === undefined) return undefined;
  const read = (mapping: Mapping, at: string) => readMapping(environment, path, mapping, at);
  const shared = { ...environment.readRaw(SHARED_SETTINGS), ...read(file.defaults, 'defaults') };
  const shops = file.shops.flatMap((own, index) => {
    const at = `shops.${index}`;
    const raw = { ...shared, ...read(own, at) };
    const values = environment.parse(SHOP, raw, (field) => `${path}: ${at}.${field}`);
    return values === undefined ? [] : [toShopConfig(values)];
  });
  for (const problem of findDuplicates(shops)) environment.problem(`${path}: ${problem}`);
  return shops.length < file.shops.length ? undefined : shops;
}

/** The settings of a shop, or of all, by field. */
function readMapping(environment: Environment, path: string, mapping: Mapping, at: string): RawSettings {
  const found = new Map<string, RawSetting>();
  for (const [name, value] of Object.entries(mapping)) {
    const place = `${path}: ${at}.${name}`;
    const field = name.replace(ELSEWHERE, '$1');
    const other = found.get(field);
    if (!NAMES.includes(name)) {
      environment.problem(`${path}: ${at}${unknownText(name)}`);
    } else if (other !== undefined) {
      found.set(field, { ...other, value: new Error(`and ${name} are both set; keep one of them`) });
    } else {
      // A name that is a list is as wrong as any other setting that is one.
      const isName = field !== name && typeof value === 'string' && value !== '';
      const read = name.endsWith('Env') ? readVariable : readSecretFile;
      found.set(field, { place, value: isName ? read(environment, value, path) : value });
    }
  }
  return Object.fromEntries(found);
}

/** A name is repeated only if it resembles a setting: it may be part of an unquoted secret. */
function unknownText(name: string): string {
  const meant = nearestName(name, NAMES);
  return meant === undefined
    ? ` has an unknown setting; the settings are ${NAMES.join(', ')}`
    : `.${name} is not a setting; did you mean ${meant}?`;
}

function readVariable(environment: Environment, name: string): string | Error {
  return environment.variable(name) ?? new Error('names an environment variable that is not set');
}

function readSecretFile(environment: Environment, file: string, path: string): string | Error {
  const reason =
    'names a file that is empty or cannot be read; check its permissions and its path, relative to the shops file';
  const whole = isAbsolute(file) ? file : join(dirname(path), file);
  return environment.readFile(whole)?.trim() ?? new Error(reason);
}

/** Two shops with one key would share their rows; one shop under two keys would be stored twice. */
function findDuplicates(shops: readonly ShopConfig[]): readonly string[] {
  return shops.flatMap(({ shopKey, baseUrl, login }, index) => {
    const sameKey = shops.findIndex((other) => other.shopKey === shopKey);
    const sameLogin = shops.findIndex((other) => other.baseUrl === baseUrl && other.login === login);
    const key = `shops.${index}.key is already used by shops.${sameKey}; give each shop its own`;
    const shop = `shops.${index} has the url and login of shops.${sameLogin}; list each shop once`;
    return [...(sameKey < index ? [key] : []), ...(sameLogin < index ? [shop] : [])];
  });
}

const FILE_PATH = /^[\w./~\\:-]+\.(ya?ml|json)$/i;

/** @returns undefined for a file that cannot be read, or whose form is wrong; what is wrong with it is a problem */
function parseFile(path: string, environment: Environment): z.output<typeof FILE> | undefined {
  const content = environment.readFile(path);
  if (content === undefined) {
    // What does not look like a path may be the content of the file, set by mistake.
    const named = FILE_PATH.test(path)
      ? `a file that is empty or cannot be read, ${path}`
      : 'a file that is empty or cannot be read';
    environment.problem(`SHOPS_FILE names ${named}; check its path and permissions`);
    return undefined;
  }
  const { problems, value } = parseYaml(content);
  for (const problem of problems) environment.problem(`${path}: ${problem}`);
  if (problems.length > 0) return undefined;
  const { data, error } = FILE.safeParse(value);
  for (const issue of error?.issues ?? []) {
    environment.problem(`${path}: ${issue.path.join('.') || 'the top level'} ${issue.message}`);
  }
  return data;
}

/** Valid YAML, but more likely an unquoted secret, which would be cut short. */
const REFERENCE = 'a value begins with & or *, which YAML reserves; put the value in quotes';
const INVALID =
  'this is not valid YAML, here or above; check quotes, colons and indentation, and put values in quotes';

/**
 * Parses one YAML document (or JSON, which is YAML): objects, arrays and strings, every scalar as it is written. Problems
 * have our own wording, since the library's messages quote the text, which may be a secret.
 */
function parseYaml(text: string): { readonly problems: readonly string[]; readonly value?: unknown } {
  const lines = new LineCounter();
  // With `failsafe`, scalars stay strings: a login of 0123 keeps its zero.
  const document = parseDocument(text, {
    schema: 'failsafe',
    stringKeys: true,
    lineCounter: lines,
    prettyErrors: false,
  });
  const problemAt = (offset: number, problem: string) => `line ${lines.linePos(offset).line}: ${problem}`;
  const problems = [...document.errors, ...document.warnings].map(({ pos }) => problemAt(pos[0], INVALID));
  visit(document, {
    Node(role, node) {
      if (isAlias(node) || node.anchor !== undefined) {
        problems.push(problemAt(node.range?.[0] ?? 0, REFERENCE));
      } else if (isScalar(node) && role !== 'key') {
        const isNull = node.type === 'PLAIN' && /^(~|null)$/i.test(String(node.value));
        node.value = isNull ? '' : String(node.value).trim();
      }
    },
  });
  // Only without problems: references to references could make the value explode.
  return problems.length > 0 ? { problems } : { problems, value: document.toJS() };
}
