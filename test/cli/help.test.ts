import { expect, test } from 'vitest';

import { HELP, SETTING_MEANINGS } from '../../src/cli/help-texts.ts';
import { SETTING_NAMES } from '../../src/config/load-config.ts';
import { runInProcess } from '../support/run-in-process.ts';

const commandsIn = (help: string) =>
  [...help.matchAll(/^ {2}([a-z][a-z-]+)\b/gm)].flatMap(([, name = '']) => (name === 'help' ? [] : [name]));

test('every command has examples in its help, with options that it has', async () => {
  const { stdout } = await runInProcess(['--help'], {});
  const commands = commandsIn(stdout.slice(stdout.indexOf('Commands:')));
  expect(commands).toEqual(expect.arrayContaining(['init', 'sync', 'shops', 'completion']));
  const ownHelp = Object.keys(HELP);
  expect(ownHelp.filter((name) => !name.includes(' ')).toSorted()).toEqual(commands.toSorted());
  for (const command of ownHelp) {
    const { stdout: help } = await runInProcess([...command.split(' '), '--help'], {});
    const [options = '', examples = ''] = help.split('\nExamples:\n');
    expect(examples, command).toContain('order-sync ');
    for (const [, option = ''] of examples.matchAll(/order-sync [^\n]*?(--[a-z-]+)/g)) {
      expect(options, `${command} ${option}`).toContain(option);
    }
  }
});

test('help names settings that exist, and fits 80 columns', async () => {
  expect(SETTING_NAMES).toEqual(expect.arrayContaining(Object.keys(SETTING_MEANINGS)));
  for (const command of Object.keys(HELP).filter((name) => name !== 'simulate')) {
    const { stdout } = await runInProcess([...command.split(' '), '--help'], {});
    expect(
      stdout.split('\n').filter((line) => line.length > 80),
      command,
    ).toEqual([]);
  }
  const { stdout } = await runInProcess(['backfill', '--help'], {});
  expect(stdout).toMatch(/Settings .*:\n(.*\n)* {2}SHOP_HISTORY_FROM +first day to load/);
});
