import { expect, test } from 'vitest';

import { NEXT_STEPS, nextStep } from '../../src/model/next-step.ts';
import { runCommand, startCommand, untilSaid } from '../support/command-line.ts';
import { lifeMs, patienceMs, testTimeoutMs } from '../support/patience.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { until, within } from '../support/until.ts';

test(
  'demo --keep serves its page until Ctrl-C, while another demo runs and ends',
  async () => {
    await using folder = await openFolder('demos');
    const mayLiveMs = lifeMs() * 4;
    const start = (...args: string[]) =>
      startCommand(['demo', ...args], {}, folder.path, undefined, mayLiveMs);
    const kept = start('--keep');
    const ending = start();
    try {
      const keptText = untilSaid(kept, 'stdout', /export DATABASE_URL/);
      const started = untilSaid(kept, 'stderr', /"port":(\d+),.*"worker started"/);
      const outcome = await within('the demo ends', ending.outcome, mayLiveMs);
      expect(outcome, outcome.stderr).toMatchObject({ code: 0 });

      const views = await runCommand(NEXT_STEPS['list demo views'].split(' '), {}, folder.path);
      expect(views).toMatchObject({ code: 0, stdout: expect.stringContaining('daily_sales') });
      const { input: text } = await keptText;
      // One of them came first.
      for (const step of ['ask the demo', 'list demo views'] as const)
        expect(text + outcome.stdout).toContain(nextStep(step));
      expect(text).toMatch(/demo +(\d+) +\1 +3012 +3012/);
      const [, port] = await started;
      const url = `http://127.0.0.1:${port}/`;
      const readMetrics = async () => (await fetch(`${url}metrics`)).text();
      // The page of all shops is that of the only one.
      await untilShown(url, 'class="year"');
      await untilShown(`${url}shops/demo`, 'class="year"');
      await until('the worker has asked the shop', async () =>
        (await readMetrics()).includes('route="content"'),
      );
      const metrics = await readMetrics();
      for (const route of ['orders', 'content'])
        expect(metrics).toMatch(new RegExp(`^order_sync_\\w+\\{[^}]*route="${route}"[^}]*\\} [1-9]`, 'm'));
      kept.process.kill('SIGINT');
      const { code, stdout } = await kept.outcome;
      expect(code).toBe(0);
      expect(stdout).toContain("Stopped: the shop, its sync and the status page. The demo's orders stay");
      await expect(fetch(url)).rejects.toThrow('fetch failed');
    } finally {
      for (const demo of [kept, ending]) demo.process.kill('SIGKILL');
    }
  },
  testTimeoutMs() * 4,
);

async function untilShown(url: string, part: string): Promise<void> {
  const isShown = async () => (await (await fetch(url)).text()).includes(part);
  await until(`${url} shows ${part}`, isShown, patienceMs(), 100);
}
