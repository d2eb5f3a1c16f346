import { expect, test } from 'vitest';

import { startSimulator } from '../../../src/simulator/server.ts';
import { findProblems } from '../../../src/sync/report/shop-problems.ts';
import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { inWarehouse, sweepOnce, testClock } from '../../support/sweep.ts';
import { FORCED, idAt } from '../support/copy.ts';
import { answerJson, startRewritingShop } from '../support/rewriting-shop.ts';
import { PRESENT } from '../../support/shop.ts';

test('one order that always answers HTTP 500 is named, once, and slows no other one down', async () => {
  await using simulator = await startSimulator({ orders: 60, days: 6, seed: 21, now: PRESENT });
  await using shop = await startRewritingShop(simulator.url);
  const bad = idAt(simulator, 20);
  shop.rewrite = (path, answer) => {
    if (path === `orders/${bad}`) answerJson(answer, { message: 'sorry' }, 500);
  };
  await inWarehouse(async ({ db }) => {
    const clock = testClock(PRESENT);
    const logged: unknown[] = [];
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: (...line: unknown[]) => void logged.push(line),
    };
    const means = { now: clock.now, through: () => shop.api(), logger };
    const sweep = () => sweepOnce(simulator, db, FORCED, {}, means);
    const problems = async () => {
      const [report] = await readShopReports(db, clock.now(), 'test');
      const found = report === undefined ? [] : findProblems(report.status, clock.now());
      return found.filter(({ weight }) => weight !== 'task');
    };
    const swept = await sweep();
    const reason = 'GET /orders/ID: the shop answered HTTP 500';
    const sentence = `the lines of order ${bad} could not be fetched: ${reason}`;
    expect(swept).toMatchObject({ status: 'partial', problems: [sentence], new_rejections: 0 });
    // A busy machine may be found slow; the shop is not held to be failing.
    expect(['failures', 'rate']).not.toContain(swept.throttle.limited_by);
    expect(logged).toEqual([[{ shop: 'test', reason: sentence }, 'lines missing']]);
    const named = { kind: 'sync', orders: [String(bad)] } as const;
    expect(await sweepOnce(simulator, db, named, {}, means)).toMatchObject({
      status: 'partial',
      problems: [sentence],
    });
    expect((await problems()).map(({ what }) => what)).toEqual([
      `The lines of order ${bad} could not be fetched: ${reason}.`,
    ]);
    // Another reason takes the place of the first.
    shop.rewrite = (path, answer) => {
      if (path === `orders/${bad}`) answerJson(answer, { message: 'sorry' }, 400);
    };
    clock.pass({ hours: 1 });
    await sweep();
    expect((await problems()).map(({ what }) => what)).toEqual([expect.stringContaining('HTTP 400')]);
    shop.rewrite = () => undefined;
    clock.pass({ hours: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok', problems: [] });
    expect(await problems()).toEqual([]);
  });
});
