import { beforeAll, expect, test } from 'vitest';

import { EXAMPLES } from '../../../src/cli/program/help.ts';
import { SETTING_NAMES } from '../../../src/config/settings.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { type ListedCommand, listCommands } from '../../support/command-list.ts';

let commands: readonly ListedCommand[];
beforeAll(async () => {
  commands = await listCommands();
});

/** The command lines among the examples, from the name of the command on. */
function examplesIn(help: string): readonly string[] {
  const [, examples = ''] = help.split('\nExamples:\n');
  const lines = examples.split('\n').filter((line) => /^ {2}\S/.test(line));
  return lines.flatMap((line) => /\border-sync (.+)/.exec(line)?.[1] ?? []);
}

const isOf = (line: string, name: string) => line === name || line.startsWith(`${name} `);

test('every command has examples in its help, with options that it has', () => {
  const names = commands.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['init', 'sync', 'shops', 'shops pause']));
  const problems: string[] = [];
  let options = 0;
  let examples = 0;
  for (const { name, help } of commands) {
    const ofIt = examplesIn(help).filter((line) => isOf(line, name));
    // One that only leads to others shows theirs.
    if (name === 'fetch') {
      expect(ofIt).toEqual(
        EXAMPLES.flatMap(([line]) =>
          line.startsWith('order-sync fetch ') ? line.slice('order-sync '.length) : [],
        ),
      );
      continue;
    }
    examples += ofIt.length;
    if (ofIt.length === 0) problems.push(`${name} has no example`);
    if (ofIt.length < examplesIn(help).length) problems.push(`${name} has an example of another command`);
    const [described = ''] = help.split('\nExamples:\n');
    for (const [option] of ofIt.join('\n').matchAll(/(?<= )--[a-z-]+/g)) {
      options += 1;
      if (!new RegExp(`^ +(-\\w, )?${option}(?![\\w-])`, 'm').test(described)) {
        problems.push(`${name} has no option ${option}`);
      }
    }
  }
  expect(problems).toEqual([]);
  expect(examples, 'EXAMPLES in src/cli/program/help.ts').toBe(EXAMPLES.length);
  expect(options).toBeGreaterThan(20);
});

test('the help of the program lists every setting, and no help is wider than 80 columns', async () => {
  const { stdout } = await runInProcess(['--help'], {});
  expect(stdout).toMatch(/\n {2}1 {4}failed, or not done without --yes\n/);
  const [, settings = ''] = stdout.split('\nSettings (');
  const named = [...settings.matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name = '']) => name);
  expect(named).toEqual(SETTING_NAMES);
  const long = [{ name: '', help: stdout }, ...commands].flatMap(({ name, help }) =>
    help.split('\n').flatMap((line) => (line.length > 80 ? [`${name}: ${line}`] : [])),
  );
  expect(long).toEqual([]);
});
