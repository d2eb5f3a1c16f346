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

/** A setting before it is parsed. */
export type RawSetting = {
  /** What problems call it: its name, after the file and the shop where it is in a file of shops. */
  readonly place: string;
  /** Of any type: it is not parsed yet. An Error says why there is none. */
  readonly value: unknown;
};

/** Settings by field name. */
export type RawSettings = Readonly<Record<string, RawSetting>>;

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
    return this.parse(z.object(settings), this.readRaw(settings));
  }

  /** The settings that are set, before they are parsed. */
  readRaw(settings: z.ZodRawShape): RawSettings {
    const found = Object.entries(settings).flatMap(([field, type]) => {
      const raw = this.#find(settingOf(type).env);
      return raw === undefined ? [] : [[field, raw] as const];
    });
    return Object.fromEntries(found);
  }

  /**
   * @param nameOf how problems call a setting that is not set. @default its name in the environment
   * @returns undefined where one of the settings is wrong, which adds a problem
   */
  parse<Shape extends z.ZodRawShape>(
    schema: z.ZodObject<Shape>,
    raw: RawSettings,
    nameOf = (_field: string, env: string) => env,
  ): z.output<z.ZodObject<Shape>> | undefined {
    const values = Object.entries(raw).map(([field, { value }]) => [field, value]);
    const { data, error } = schema.safeParse(Object.fromEntries(values));
    for (const { path, message } of error?.issues ?? []) {
      const field = String(path[0]);
      const { env, meaning } = settingOf(schema.shape[field]);
      const what = message === NOT_SET ? `${message}: ${meaning}` : message;
      this.problem(`${raw[field]?.place ?? nameOf(field, env)} ${what}`);
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

  #find(name: string): RawSetting | undefined {
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
