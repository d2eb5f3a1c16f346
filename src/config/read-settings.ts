import type { z } from 'zod';

import { ConfigError } from '../model/errors.ts';

/** Where settings come from: environment values, and the files that `NAME_FILE` names. */
export type SettingsSource = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string;
};

/** What there is to know of a setting. */
export type Setting = {
  /** Its name in the environment. */
  readonly env: string;
  /** Of its text. */
  readonly type: z.ZodType;
  /** Completes "NAME is not set: …", and stands in help and docs. */
  readonly meaning: string;
  /** The text that counts where none is set. */
  readonly default?: string;
};

/** Settings by field name. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** Docker passes the quotation marks of its env files on; no setting begins and ends with them. */
const QUOTED = /^(?:"[^]*"|'[^]*'|`[^]*`|[“„«‘][^]*[”“»’])$/;
/** Stored pseudonyms were made with it as it is. */
const LONG_LIVED = 'PII_SECRET';

/** The values of a table's settings that are set and valid. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table]?: z.output<Table[Name]['type']>;
};

/** The same, with the defaults of what is not set. */
type SettledValues<Table extends SettingTable> = {
  readonly [Name in keyof Table]:
    | z.output<Table[Name]['type']>
    | (Table[Name] extends { readonly default: string } ? never : undefined);
};

export function withDefaults<Table extends SettingTable>(
  table: Table,
  values: SettingValues<Table>,
): SettledValues<Table> {
  const settled = Object.entries(table).map(([field, { type, default: text }]) => [
    field,
    values[field] ?? (text === undefined ? undefined : type.parse(text)),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries loses which name has which type
  return Object.fromEntries(settled) as SettledValues<Table>;
}

/**
 * @param find the text of a setting, or what a file has in its place; undefined: it is not set
 * @param report receives what is wrong with a setting, as the rest of a sentence that begins with its name
 */
export function readSettings<Table extends SettingTable>(
  table: Table,
  find: (field: string, env: string) => unknown,
  report: (field: string, env: string, message: string) => void,
): SettingValues<Table> {
  const values = Object.entries(table).flatMap(([field, { env, type }]) => {
    const given = find(field, env);
    if (given === undefined) return [];
    if (typeof given === 'string' && QUOTED.test(given) && env !== LONG_LIVED) {
      report(field, env, 'is in quotation marks, which count as part of it here; remove them');
      return [];
    }
    const { success, data, error } = type.safeParse(given);
    for (const { message } of error?.issues ?? []) report(field, env, message);
    return success ? [[field, data]] : [];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries loses which name has which type
  return Object.fromEntries(values) as SettingValues<Table>;
}

/** Reads settings from the environment and collects all problems, to report them at once. Repeats no value. */
export class Environment {
  readonly env: SettingsSource['env'];
  readonly #source: SettingsSource;
  readonly #problems = new Set<string>();
  /** By path: a file may be a pipe, which can be read only once. */
  readonly #files = new Map<string, string | undefined>();

  constructor(source: SettingsSource) {
    this.env = source.env;
    this.#source = source;
  }

  /** @returns the settings that are set and valid */
  read<Table extends SettingTable>(table: Table): SettingValues<Table> {
    const report = (_field: string, env: string, message: string) => this.problem(`${env} ${message}`);
    return readSettings(table, (_field, env) => this.#find(env), report);
  }

  /** Whether the setting or its file is set; does not read the file. */
  isSet(name: string): boolean {
    return [name, `${name}_FILE`].some((each) => this.#text(each) !== '');
  }

  /** Adds a problem. Those of settings are found anew by each reading. */
  problem(sentence: string): void {
    this.#problems.add(sentence);
  }

  /** @throws ConfigError if there is any problem */
  refuseProblems(): void {
    if (this.#problems.size > 0) throw new ConfigError([...this.#problems]);
  }

  /** @returns undefined for a file that is empty or cannot be read */
  readFile(path: string): string | undefined {
    if (!this.#files.has(path)) this.#files.set(path, readText(path, this.#source.readFile));
    return this.#files.get(path);
  }

  #text(name: string): string {
    return this.env[name]?.trim() ?? '';
  }

  #find(name: string): string | undefined {
    const [direct, path] = [this.#text(name), this.#text(`${name}_FILE`)];
    if (path === '') return direct || undefined;
    const text = direct === '' ? this.readFile(path)?.trim() : undefined;
    if (direct !== '') this.problem(`${name} and ${name}_FILE are both set; keep one of them`);
    // Omits the path: it may be the secret itself, set under the wrong name.
    else if (text === undefined)
      this.problem(
        `${name}_FILE names a file that is empty or cannot be read; check its path and permissions`,
      );
    return text;
  }
}

function readText(path: string, readFile: SettingsSource['readFile']): string | undefined {
  try {
    const text = readFile(path);
    return text.trim() === '' ? undefined : text;
  } catch {
    return undefined;
  }
}
