import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { NEXT_STEPS, nextStep } from '../../src/next-step.ts';
import { type Outcome, runCommand, type Running, startCommand } from '../support/command-line.ts';
import { lifeMs, patienceMs, testTimeoutMs } from '../support/patience.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { until, within } from '../support/until.ts';

/** What differs from one demo to the next is left out. */
const masked = (text: string) => text.replaceAll(/[+-]?\d[\d,.:-]*|\.\.\.$/g, '').replaceAll(/ +/g, ' ');

test(
  'a demo ends by itself with real figures, and one that is kept beside it serves its page until Ctrl-C',
  async () => {
    await using folder = await openFolder('demos');
    const mayLiveMs = lifeMs() * 4;
    const start = (...args: string[]) =>
      startCommand(['demo', ...args], {}, folder.path, undefined, mayLiveMs);
    const kept = start('--keep');
    const ending = start();
    try {
      const keptText = textUntil(kept, 'export DATABASE_URL');
      const early = /Watch it at (\S+)/.exec(await textUntil(kept, 'Watch it at'))?.[1] ?? '';
      await untilShown(`${early}shops/demo`, 'id="calendar-days"');
      const outcome = await within('the demo ends', ending.outcome, mayLiveMs);
      await expectFigures(outcome);

      const text = await keptText;
      // One of them came first.
      for (const step of ['ask the demo', 'list demo views'] as const)
        expect(text + outcome.stdout).toContain(nextStep(step));
      expect(text).toMatch(/demo +(\d+) +\1 +3012 +3012/);
      const url = /Status page +(http:\S+)/.exec(text)?.[1] ?? '';
      await untilShown(url, 'id="calendar-days"');
      await untilShown(`${url}shops/demo`, 'id="calendar-days"');
      kept.process.kill('SIGINT');
      const { code, stdout } = await kept.outcome;
      expect(code).toBe(0);
      expect(stdout).toContain("Stopped: the shop, its sync and the status page. The demo's orders stay");
      await expect(fetch(url)).rejects.toThrow('fetch failed');
    } finally {
      for (const demo of [kept, ending]) demo.process.kill('SIGKILL');
    }
    const { 'ask the demo': ask, 'list demo views': list } = NEXT_STEPS;
    expect(await readFile('README.md', 'utf8')).toContain(ask);
    const [, query = ''] = /"([^"]+)"/.exec(ask) ?? [];
    const answer = await runCommand(['sql', '--demo', query], {}, folder.path);
    expect(answer, answer.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/RUB|\d\n/) });
    const views = await runCommand(list.split(' '), {}, folder.path);
    expect(views).toMatchObject({ code: 0, stdout: expect.stringContaining('daily_sales') });
    // Two demos and two commands, one after the other, each of which is waited for.
  },
  testTimeoutMs() * 4,
);

async function expectFigures({ code, stdout, stderr }: Outcome): Promise<void> {
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/Backfill +3,00[01] orders of 18\d days/);
  expect(stdout.match(/Live tick \d 4 new and \d+ changed orders arrived/g)).toHaveLength(3);
  expect(stdout).toMatch(/Sales of the last 14 days\n( {2}\w{3} \d\d \w{3} +█*.*\d orders\n){14}/);
  expect(stdout).toMatch(/demo +(\d+) +\1 +3012 +3012/);
  expect(stdout.match(/^  ✓ /gm), stdout).toHaveLength(3);
  expect(stdout).not.toMatch(/NOT FOUND/);
  for (const step of ['write settings', 'load shop'] as const) expect(stdout).toContain(nextStep(step));
  expect(stdout).toMatch(/Last 30 whole days: [\d,.]+ RUB from \d+ sales, [+-]\d+ % on/);
  const [, shown = ''] =
    /^The demo prints .*?^```\n(.*?)^```/ms.exec(await readFile('README.md', 'utf8')) ?? [];
  for (const line of shown.split('\n')) expect(masked(stdout)).toContain(masked(line));
}

async function textUntil({ process: child, outcome }: Running, end: string): Promise<string> {
  const written = Promise.withResolvers<string>();
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.includes(end)) written.resolve(text);
  });
  const early = outcome.then(({ stderr }) => Promise.reject(new Error(`it ended early: ${stderr}`)));
  early.catch(() => undefined);
  return Promise.race([written.promise, early]);
}

async function untilShown(url: string, part: string): Promise<void> {
  const isShown = async () => (await (await fetch(url)).text()).includes(part);
  await until(`${url} shows ${part}`, isShown, patienceMs(), 100);
}
