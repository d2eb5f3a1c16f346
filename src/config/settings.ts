import type { z } from 'zod';

import { ConfigError } from '../errors.ts';

/** Where settings come from: environment values, and the files that `NAME_FILE` names. */
export type SettingsSource = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string;
};

/** Settings by field name: the environment variable, and the type of its text. */
export type SettingTable = Readonly<Record<string, { readonly env: string; readonly type: z.ZodType }>>;

/** The values of a table's settings that are set and valid. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table]?: z.output<Table[Name]['type']> | undefined;
};

/** A table's types as a zod shape. */
export function toZodShape<Table extends SettingTable>(table: Table) {
  const types = Object.entries(table).map(([name, { type }]) => [name, type]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries loses which name has which type
  return Object.fromEntries(types) as { [Name in keyof Table]: Table[Name]['type'] };
}

/**
 * Reads the valid values of a mapping, so that rules across settings can be checked even if others are invalid.
 *
 * @param report receives every issue
 * @returns undefined if it is no mapping, or lacks a required value
 */
export function readValid<Values>(
  schema: z.ZodType<Values>,
  given: unknown,
  report: (issue: z.core.$ZodIssue) => void,
): Values | undefined {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  for (const issue of result.error.issues) report(issue);
  if (typeof given !== 'object' || given === null) return undefined;
  const wrong = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys : issue.path.slice(0, 1),
  );
  const right = Object.entries(given).filter(([name]) => !wrong.includes(name));
  return schema.safeParse(Object.fromEntries(right)).data;
}

/** Reads settings from the environment and collects all problems, to report them at once. Repeats no value. */
export class Environment {
  readonly #source: SettingsSource;
  readonly #problems: string[] = [];
  /** Texts found so far, by name: a file may be a pipe, which can be read only once. */
  readonly #texts = new Map<string, string | undefined>();

  constructor(source: SettingsSource) {
    this.#source = source;
  }

  /** @returns the settings that are set and valid */
  read<Table extends SettingTable>(table: Table): SettingValues<Table> {
    const values = Object.entries(table).flatMap(([field, { env, type }]) => {
      const text = this.#text(env);
      if (text === undefined) return [];
      const result = type.safeParse(text);
      for (const { message } of result.error?.issues ?? []) this.#problems.push(`${env} ${message}`);
      return result.success ? [[field, result.data]] : [];
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries loses which name has which type
    return Object.fromEntries(values) as SettingValues<Table>;
  }

  /** Whether the setting or its file is set; does not read the file. */
  isSet(name: string): boolean {
    const { env } = this.#source;
    return [env[name], env[`${name}_FILE`]].some((text = '') => text.trim() !== '');
  }

  /** Adds a problem that was found elsewhere. */
  problem(sentence: string): void {
    this.#problems.push(sentence);
  }

  /** @throws ConfigError if there is any problem */
  refuseProblems(): void {
    if (this.#problems.length > 0) throw new ConfigError([...new Set(this.#problems)]);
  }

  #text(name: string): string | undefined {
    if (!this.#texts.has(name)) this.#texts.set(name, this.#find(name));
    return this.#texts.get(name);
  }

  #find(name: string): string | undefined {
    const { env, readFile } = this.#source;
    const [direct, path] = [env[name]?.trim() ?? '', env[`${name}_FILE`]?.trim() ?? ''];
    if (path === '') return direct || undefined;
    if (direct !== '') {
      this.#problems.push(`${name} and ${name}_FILE are both set; keep one of them`);
      return undefined;
    }
    const text = readText(path, readFile)?.trim();
    if (text !== undefined) return text;
    // Omits the path: it may be the secret itself, set under the wrong name.
    this.#problems.push(
      `${name}_FILE names a file that is empty or cannot be read; check its path and permissions`,
    );
    return undefined;
  }
}

/** @returns undefined for a file that is empty or cannot be read */
export function readText(path: string, readFile: SettingsSource['readFile']): string | undefined {
  try {
    const text = readFile(path);
    return text.trim() === '' ? undefined : text;
  } catch {
    return undefined;
  }
}
