import { z } from 'zod';

import { ConfigError } from '../model/errors.ts';
import { nearestName } from './nearest-name.ts';
import { NOT_SET } from './setting-types.ts';
import { SETTING_NAMES, settingOf } from './settings.ts';

/** Where settings come from: environment values, and the files that `NAME_FILE` names. */
export type SettingsSource = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string;
};

/** A setting as somebody gave it. */
export type Given = {
  /** What problems call it: its name, after the file and the shop where it is in a file of shops. */
  readonly place: string;
  /** Of any type: it is not parsed yet. An Error says why there is none. */
  readonly value: unknown;
};

/** Settings by field name. */
export type GivenSettings = Readonly<Record<string, Given>>;

/** Prefixes that mark a name as meant for order-sync; for other names a similarity would be a coincidence. */
const OURS = /^(SHOP|SYNC|PII|RAW_KE|OPS_PASS|FRESHNES)/;

/** Reads settings from the environment and collects all problems, to report them at once. Repeats no value. */
export class Environment {
  readonly env: SettingsSource['env'];
  readonly #source: SettingsSource;
  readonly #problems = new Set<string>();

  constructor(source: SettingsSource) {
    this.env = source.env;
    this.#source = source;
  }

  /** @returns undefined where one of the settings is wrong, which adds a problem */
  read<Shape extends z.ZodRawShape>(settings: Shape): z.output<z.ZodObject<Shape>> | undefined {
    return this.parse(z.object(settings), this.given(settings));
  }

  /** Those of the settings that are set. */
  given(settings: z.ZodRawShape): GivenSettings {
    const found = Object.entries(settings).flatMap(([field, type]) => {
      const given = this.#find(settingOf(type).env);
      return given === undefined ? [] : [[field, given] as const];
    });
    return Object.fromEntries(found);
  }

  /**
   * @param nameOf what a setting is called that is not given. @default its name in the environment
   * @returns undefined where one of the settings is wrong, which adds a problem
   */
  parse<Shape extends z.ZodRawShape>(
    schema: z.ZodObject<Shape>,
    given: GivenSettings,
    nameOf = (_field: string, env: string) => env,
  ): z.output<z.ZodObject<Shape>> | undefined {
    const values = Object.entries(given).map(([field, { value }]) => [field, value]);
    const { data, error } = schema.safeParse(Object.fromEntries(values));
    for (const { path, message } of error?.issues ?? []) {
      const field = String(path[0]);
      const { env, meaning } = settingOf(schema.shape[field]);
      const what = message === NOT_SET ? `${message}: ${meaning}` : message;
      this.problem(`${given[field]?.place ?? nameOf(field, env)} ${what}`);
    }
    return data;
  }

  /** Whether the setting or its file is set; does not read the file. */
  isSet(name: string): boolean {
    return this.#text(name) + this.#text(`${name}_FILE`) !== '';
  }

  /** Adds a problem. */
  problem(sentence: string): void {
    this.#problems.add(sentence);
  }

  /** The text of a variable of any name. @returns undefined where it is not set */
  variable(name: string): string | undefined {
    // The name may be `toString`, too.
    return Object.hasOwn(this.env, name) ? this.#text(name) || undefined : undefined;
  }

  /** Names that look like mistyped settings are problems: they would be ignored otherwise. */
  rejectMistyped(): void {
    const known = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);
    for (const name of Object.keys(this.env)) {
      if (!OURS.test(name) || this.#text(name) === '' || known.includes(name)) continue;
      const meant = nearestName(name, known);
      if (meant !== undefined) this.problem(`${name} is not a setting; did you mean ${meant}?`);
    }
  }

  /** @param value undefined where there is a problem. @throws ConfigError if there is any */
  settle<Value>(value: Value | undefined): Value {
    if (value === undefined || this.#problems.size > 0) throw new ConfigError([...this.#problems]);
    return value;
  }

  /** @returns undefined for a file that is empty or cannot be read */
  readFile(path: string): string | undefined {
    try {
      const text = this.#source.readFile(path);
      return text.trim() === '' ? undefined : text;
    } catch {
      return undefined;
    }
  }

  #text(name: string): string {
    return this.env[name]?.trim() ?? '';
  }

  #find(name: string): Given | undefined {
    const [direct, path] = [this.#text(name), this.#text(`${name}_FILE`)];
    if (path === '') return direct === '' ? undefined : { place: name, value: direct };
    if (direct !== '')
      return { place: name, value: new Error(`and ${name}_FILE are both set; keep one of them`) };
    const text = this.readFile(path)?.trim();
    if (text !== undefined) return { place: name, value: text };
    // Omits the path: it may be the secret itself, set under the wrong name.
    const reason = 'names a file that is empty or cannot be read; check its path and permissions';
    return { place: `${name}_FILE`, value: new Error(reason) };
  }
}
