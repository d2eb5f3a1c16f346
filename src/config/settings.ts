import { ConfigError } from '../errors.ts';

/** Where settings come from: environment values, and the files that `NAME_FILE` names. */
export type SettingsSource = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string;
};

/** Reads settings one by one and keeps every problem, so that all can be told at once. Repeats no value. */
export class Settings {
  readonly #source: SettingsSource;
  readonly #problems: string[] = [];
  /** What was found, by name: a file may be a pipe, which can be read only once. */
  readonly #texts = new Map<string, string | typeof UNREADABLE | undefined>();

  constructor(source: SettingsSource) {
    this.#source = source;
  }

  /** @returns what `parse` makes of the setting, or the fallback where it is not set or wrong */
  parsed<Value, Fallback>(
    name: string,
    parse: (text: string) => Value,
    fallback: Fallback,
  ): Value | Fallback {
    const text = this.#text(name);
    if (text === undefined || text === UNREADABLE) return fallback;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#problems.push(`${name} ${error.message}`);
      return fallback;
    }
  }

  /** @param meaning what the setting is, for the reader who has not set it */
  required(name: string, meaning: string, parse: (text: string) => string): string {
    if (this.#text(name) === undefined) this.#problems.push(`${name} is not set: ${meaning}`);
    return this.parsed(name, parse, '');
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

  #text(name: string): string | typeof UNREADABLE | undefined {
    if (!this.#texts.has(name)) this.#texts.set(name, this.#find(name));
    return this.#texts.get(name);
  }

  #find(name: string): string | typeof UNREADABLE | undefined {
    const { env, readFile } = this.#source;
    const [direct, path] = [env[name]?.trim() ?? '', env[`${name}_FILE`]?.trim() ?? ''];
    if (path === '') return direct === '' ? undefined : direct;
    if (direct !== '') {
      this.#problems.push(`${name} and ${name}_FILE are both set; keep one of them`);
      return UNREADABLE;
    }
    const text = readText(path, readFile);
    if (text !== undefined) return text;
    // Without the path: it may be the secret itself, set under the wrong name.
    this.#problems.push(
      `${name}_FILE names a file that is empty or cannot be read; check its path and rights`,
    );
    return UNREADABLE;
  }
}

/** Stands for a setting whose problem is reported already. */
const UNREADABLE = Symbol('unreadable');

/** @returns the text without the blanks around it; undefined for a file that is empty or cannot be read */
export function readText(path: string, readFile: SettingsSource['readFile']): string | undefined {
  try {
    return readFile(path).trim() || undefined;
  } catch {
    return undefined;
  }
}
