import { dirname, isAbsolute, join } from 'node:path';

import { readText, type Settings, type SettingsSource } from './settings.ts';
import type { ShopConfig } from './shop-settings.ts';
import { readShops } from './shops-file-list.ts';
import type { FileMeans } from './shops-file-section.ts';
import { parseYaml } from './yaml-tree.ts';

export type ShopsFile = {
  readonly shops: readonly ShopConfig[];
  /** Environment variables that the file names. */
  readonly usedNames: ReadonlySet<string>;
};

/**
 * Reads the file that `SHOPS_FILE` names: YAML or JSON with a list `shops` and, if wanted, `defaults` for all of them.
 * What neither sets is taken from the environment.
 *
 * @param settings keeps the problems found
 * @returns undefined where the file could not be read at all
 */
export function readShopsFile(
  path: string,
  settings: Settings,
  source: SettingsSource,
): ShopsFile | undefined {
  const text = readWhole(path, source.readFile);
  if (text === undefined) {
    // Without the path: it may be the content of the file, set in its place.
    settings.problem('SHOPS_FILE names a file that is empty or cannot be read; check its path and rights');
    return undefined;
  }
  const parsed = parseYaml(text);
  if ('problems' in parsed) {
    for (const { line, problem } of parsed.problems) settings.problem(`${path}, line ${line}: ${problem}`);
    return undefined;
  }
  const usedNames = new Set<string>();
  const problems: Problem[] = [];
  const means = meansOf(path, source, usedNames, problems);
  const shops = readShops(parsed.tree, means, settings);
  for (const { line, where, sentence } of problems.toSorted((a, b) => a.line - b.line)) {
    settings.problem(`${path}, line ${line}, ${where}: ${sentence}`);
  }
  return { shops, usedNames };
}

/** With the blanks around it: the lines are counted. */
function readWhole(path: string, readFile: SettingsSource['readFile']): string | undefined {
  try {
    const text = readFile(path);
    return text.trim() === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

type Problem = { readonly line: number; readonly where: string; readonly sentence: string };

function meansOf(
  path: string,
  source: SettingsSource,
  usedNames: Set<string>,
  problems: Problem[],
): FileMeans {
  // A secret of the defaults serves many shops, and its file may be a pipe, which can be read only once.
  const texts = new Map<string, string | undefined>();
  return {
    problem: (line, where, sentence) => problems.push({ line, where, sentence }),
    readSecret(given) {
      const file = isAbsolute(given) ? given : join(dirname(path), given);
      if (!texts.has(file)) texts.set(file, readText(file, source.readFile));
      return texts.get(file);
    },
    env(name) {
      usedNames.add(name);
      // Any name may be asked for, and `toString` is no variable.
      return Object.hasOwn(source.env, name) ? source.env[name]?.trim() || undefined : undefined;
    },
  };
}
