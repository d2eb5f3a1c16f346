import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { NEXT_STEPS, nextStep } from '../../src/model/next-step.ts';
import { type Outcome, runCommand, startCommand } from '../support/command-line.ts';
import { lifeMs, testTimeoutMs } from '../support/patience.ts';
import { openFolder } from '../support/scratch-folder.ts';

/** What differs from one demo to the next is left out. */
const masked = (text: string) => text.replaceAll(/[+-]?\d[\d,.:-]*|\.\.\.$/g, '').replaceAll(/ +/g, ' ');

test(
  'the demo ends with real figures, and the commands that it suggests work',
  async () => {
    await using folder = await openFolder('demos');
    const mayLiveMs = lifeMs() * 4;
    await expectFigures(await startCommand(['demo'], {}, folder.path, undefined, mayLiveMs).outcome);
    const { 'ask the demo': ask } = NEXT_STEPS;
    expect(await readFile('README.md', 'utf8')).toContain(ask);
    const [, query = ''] = /"([^"]+)"/.exec(ask) ?? [];
    const answer = await runCommand(['sql', '--demo', query], {}, folder.path);
    expect(answer, answer.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/RUB|\d\n/) });
    // A demo and a command, one after the other, each of which is waited for.
  },
  testTimeoutMs() * 4,
);

async function expectFigures({ code, stdout, stderr }: Outcome): Promise<void> {
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/Backfill +3,00[01] orders of 18\d days/);
  expect(stdout.match(/Live tick \d 4 new and \d+ changed orders arrived/g)).toHaveLength(3);
  expect(stdout).toMatch(/Sales of the last 14 days\nday .*\n(\w{3} \d\d \w{3} +█*.* RUB +\d+\n){14}/);
  expect(stdout).toMatch(/demo +(\d+) +\1 +3012 +3012/);
  expect(stdout.match(/^  ✓ /gm), stdout).toHaveLength(3);
  expect(stdout).not.toMatch(/NOT FOUND/);
  const named = [...stdout.matchAll(/^ {2}✓ .*?order (\d+)/gm)].map(([, order]) => order);
  expect(new Set(named), stdout).toHaveLength(named.length);
  for (const step of ['write settings', 'load shop', 'ask the demo', 'list demo views'] as const)
    expect(stdout).toContain(nextStep(step));
  const [, shown = ''] =
    /^The demo prints .*?^```\n(.*?)^```/ms.exec(await readFile('README.md', 'utf8')) ?? [];
  for (const line of shown.split('\n')) expect(masked(stdout)).toContain(masked(line));
}
