import { expect, test } from 'vitest';

import { findProblems } from '../../../src/sync/report/shop-problems.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { FORCED, idAt, warnings } from '../support/copy.ts';
import { answerJson, withFrontedShop } from '../support/rewriting-shop.ts';

test('an order that always fails with HTTP 500 is reported once and slows no other down', () =>
  withFrontedShop({ orders: 60, days: 6, seed: 21 }, async ({ clock, db, front, simulator, ...ground }) => {
    const bad = idAt(simulator, 20);
    const answer = (status: number) => {
      front.rewrite = (path, answer) => {
        if (path === `orders/${bad}`) answerJson(answer, { message: 'sorry' }, status);
      };
    };
    const { logged, logger } = warnings();
    const sweep = (request: SweepRequest = FORCED) => ground.sweep(request, {}, { logger });
    answer(500);
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
    expect(await sweep(named)).toMatchObject({ status: 'partial', problems: [sentence] });
    expect((await problems()).map(({ what }) => what)).toEqual([
      `The lines of order ${bad} could not be fetched: ${reason}.`,
    ]);
    // Another reason takes the place of the first.
    answer(400);
    clock.pass({ hours: 1 });
    await sweep();
    expect((await problems()).map(({ what }) => what)).toEqual([expect.stringContaining('HTTP 400')]);
    front.rewrite = () => undefined;
    clock.pass({ hours: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok', problems: [] });
    expect(await problems()).toEqual([]);
  }));
