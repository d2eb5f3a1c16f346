/** Completion scripts, run by the shells that they are for. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { mainScript } from '../support/command-line.ts';
import { listCommands } from '../support/command-list.ts';
import { needs } from '../support/needs.ts';
import { runInProcess } from '../support/run-in-process.ts';

const withShell = (shell: string) =>
  needs(spawnSync(shell, ['-c', 'exit 0']).status === 0, `${shell} is not installed`);

async function withScript(shell: string, work: (script: string, folder: string) => void | Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'order-sync-completion-'));
  try {
    const { code, stdout } = await runInProcess(['completion', shell], {});
    expect(code).toBe(0);
    const script = join(folder, `completion.${shell}`);
    await writeFile(script, stdout);
    await work(script, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What bash offers for the last word of each line. */
function completeInBash(script: string, cwd: string, lines: readonly string[]): Record<string, string[]> {
  const shop = { SHOP_URL: 'https://shop.example', SHOP_KEY: 'north' };
  const text = [
    `order-sync() { '${process.execPath}' '${mainScript()}' "$@"; }`,
    `source '${script}'`,
    ...lines.map((line) => {
      const words = `order-sync ${line}`.split(' ');
      const given = words.map((word) => `'${word}'`).join(' ');
      return [
        `COMP_WORDS=(${given}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _order_sync order-sync`,
        'echo "${COMPREPLY[*]}"',
      ].join('\n');
    }),
  ].join('\n');
  const env = { PATH: process.env['PATH'], HOME: cwd, ...shop };
  const out = execFileSync('bash', ['--norc', '-c', text], { cwd, env, timeout: 30_000 }).toString();
  const offered = out.split('\n').map((line) => line.split(' ').filter((word) => word !== ''));
  return Object.fromEntries(lines.map((line, index) => [line, offered[index] ?? []]));
}

test('bash completes commands, options, choices, files and keys of shops', withShell('bash'), () =>
  withScript('bash', async (script, folder) => {
    await writeFile(join(folder, 'my.env'), '');
    const names = (await listCommands()).map(({ name }) => name);
    const offeredOf = (path: string, begun: string) =>
      names
        .filter((name) => name.startsWith(`${path}${begun}`))
        .map((name) => name.slice(path.length))
        .filter((name) => !name.includes(' '));
    const offered = completeInBash(script, folder, [
      're',
      'backfill --f',
      'shops re',
      'shops delete --',
      'sync --shop ',
      'shops retire ',
      '--config my',
      'completion ',
      'sql --format ',
      '--quiet --config x.env stat',
      'fields ',
      'statuses set W7 --stage de',
      'backfill --from ',
      'shop-',
    ]);
    expect(offered).toEqual({
      re: offeredOf('', 're'),
      'backfill --f': ['--from', '--force'],
      'shops re': offeredOf('shops ', 're'),
      'shops delete --': expect.arrayContaining(['--yes', '--json', '--quiet']),
      'sync --shop ': ['north'],
      'shops retire ': ['north'],
      '--config my': ['my.env'],
      'completion ': ['bash', 'zsh', 'fish'],
      '--quiet --config x.env stat': ['status', 'statuses'],
      'fields ': ['show', 'hide'],
      'statuses set W7 --stage de': ['delivered'],
      'sql --format ': ['table', 'csv', 'json'],
      'backfill --from ': [],
      'shop-': [],
    });
  }),
);

/** Prints what a shell offers for the last word of a line. */
const ASK = {
  // It leaves out by itself what does not begin with the word.
  zsh: (script: string, line: string) => `
    order-sync() { '${process.execPath}' '${mainScript()}' "$@" }
    compdef() { : }; _files() { echo FILES }; compadd() { shift; echo "$@" }
    source '${script}'
    words=(order-sync ${line.replace(/ $/, ' ""')}); CURRENT=$#words; _order_sync order-sync`,
  fish: (script: string, line: string) => `
    function order-sync; '${process.execPath}' '${mainScript()}' $argv; end
    source '${script}'
    complete -C 'order-sync ${line}'`,
};

for (const shell of ['zsh', 'fish'] as const) {
  test(`${shell} completes commands, options, choices and keys of shops`, withShell(shell), () =>
    withScript(shell, (script, cwd) => {
      const env = {
        PATH: process.env['PATH'],
        HOME: cwd,
        SHOP_URL: 'https://shop.example',
        SHOP_KEY: 'north',
      };
      const offer = (line: string) => {
        const asked = spawnSync(shell, ['-c', ASK[shell](script, line)], { cwd, env, timeout: 30_000 });
        expect(asked).toMatchObject({ status: 0, stderr: Buffer.from('') });
        return asked.stdout.toString().split(/\s+/);
      };
      expect(offer('shops re')).toContain('retire');
      expect(offer('backfill --f')).toContain('--force');
      expect(offer('sync --shop ')).toContain('north');
      expect(offer('--config ')).toEqual(
        expect.arrayContaining([shell === 'zsh' ? 'FILES' : `completion.${shell}`]),
      );
      expect(offer('statuses set W7 --stage d')).toContain('delivered');
    }),
  );
}

test('all shells get every command', async () => {
  const words = (await listCommands()).flatMap(({ name }) => name.split(' ').slice(-1));
  for (const shell of ['zsh', 'fish']) {
    const { stdout } = await runInProcess(['completion', shell], {});
    for (const word of [...words, 'accept-missing']) expect(stdout).toContain(word);
  }
  const unknown = await runInProcess(['completion', 'tcsh'], {});
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('bash, zsh, fish') });
});
