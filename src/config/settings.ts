import type { z } from 'zod';

import { ConfigError } from '../errors.ts';

/** Where settings come from: environment values, and the files that `NAME_FILE` names. */
export type SettingsSource = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string;
};

/** Settings by the name of their value: what each is called in the environment, and what its text may be. */
export type SettingTable = Readonly<Record<string, { readonly env: string; readonly type: z.ZodType }>>;

/** Of a table, the settings that are set and right. */
export type ValuesOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]?: z.output<Table[Name]['type']> | undefined;
};

/** The types of a table, as a shape for zod. */
export function typesOf<Table extends SettingTable>(table: Table) {
  const types = Object.entries(table).map(([name, { type }]) => [name, type]);
  return Object.fromEntries(types) as { [Name in keyof Table]: Table[Name]['type'] };
}

/**
 * What is right of a mapping, so that rules across settings can be checked whatever else is wrong.
 *
 * @param report is given all that is wrong
 * @returns undefined where nothing can be said, since it is no mapping, or what must be set is not
 */
export function readRight<Values>(
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

/** Reads settings of the environment and keeps every problem, so that all can be reported at once. Repeats no value. */
export class Environment {
  readonly #source: SettingsSource;
  readonly #problems: string[] = [];
  /** What was found, by name: a file may be a pipe, which can be read only once. */
  readonly #texts = new Map<string, string | undefined>();

  constructor(source: SettingsSource) {
    this.#source = source;
  }

  /** @returns those that are set and right */
  read<Table extends SettingTable>(table: Table): ValuesOf<Table> {
    const values = Object.entries(table).flatMap(([field, { env, type }]) => {
      const text = this.#text(env);
      if (text === undefined) return [];
      const result = type.safeParse(text);
      for (const { message } of result.error?.issues ?? []) this.#problems.push(`${env} ${message}`);
      return result.success ? [[field, result.data]] : [];
    });
    return Object.fromEntries(values) as ValuesOf<Table>;
  }

  /** Whether there is such a setting; its file is not read. */
  isSet(name: string): boolean {
    const { env } = this.#source;
    return [env[name], env[`${name}_FILE`]].some((text = '') => text.trim() !== '');
  }

  /** Keeps a problem that was found elsewhere. */
  problem(sentence: string): void {
    this.#problems.push(sentence);
  }

  /** @throws ConfigError when there was any problem */
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
    const text = readText(path, readFile);
    if (text !== undefined) return text;
    // Without the path: it may be the secret itself, set under the wrong name.
    this.#problems.push(
      `${name}_FILE names a file that is empty or cannot be read; check its path and rights`,
    );
    return undefined;
  }
}

/** @returns the text without the blanks around it; undefined for a file that is empty or cannot be read */
export function readText(path: string, readFile: SettingsSource['readFile']): string | undefined {
  try {
    return readFile(path).trim() || undefined;
  } catch {
    return undefined;
  }
}
