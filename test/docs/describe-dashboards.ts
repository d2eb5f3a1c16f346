/** What the dashboards for Grafana ask of a demo warehouse, and whether their panels can show it. */
import type { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';

import { askAs } from './as-reader.ts';
import { type Dashboard, expanded, readDashboards } from './dashboards.ts';
import { chosen, daysOf, hasFigures, QUARTER, RANGES } from './panel-figures.ts';
import { panelProblems, shapeProblems } from './panel-problems.ts';

/** @param connected the client of the demo warehouse, once there is one */
export function describeDashboards(connected: () => Client): void {
  describe('every dashboard for Grafana', () => {
    let dashboards: readonly Dashboard[];
    beforeAll(async () => {
      dashboards = await readDashboards();
    });
    const ask = (query: string, selection = QUARTER) =>
      askAs(connected(), 'bi_reader', expanded(query, selection));

    test('every panel can show the answer to its query', async () => {
      const problems: string[] = [];
      for (const { title, panels } of dashboards) {
        for (const panel of panels) {
          const found = panelProblems(panel, await ask(panel.targets[0].rawSql));
          problems.push(...found.map((problem) => `${title}, ${panel.title}: ${problem}`));
        }
      }
      expect(problems).toEqual([]);
    });

    test('every variable offers the values that the panels use, the most common one first', async () => {
      for (const { templating } of dashboards) {
        for (const { name, query } of templating.list) {
          expect((await ask(query)).rows[0]).toEqual([new Map(Object.entries(chosen)).get(name)]);
        }
      }
    });

    test('sales without a currency can be chosen, and are shown', async () => {
      const sales = dashboards.find(({ uid }) => uid === 'order-sync-sales');
      const offered = sales?.templating.list.find(({ name }) => name === 'currency')?.query ?? '';
      expect((await ask(offered)).rows).toContainEqual(['(none)']);
      const query = sales?.panels.find(({ title }) => title === 'In this period')?.targets[0].rawSql ?? '';
      const { rows } = await ask(query, { ...QUARTER, chosen: { ...chosen, currency: '(none)' } });
      expect(rows).toEqual([[expect.stringMatching(/\d/), '1', expect.any(String), expect.any(String)]]);
    });

    test('no panel shows anything of another shop or currency', async () => {
      const another = async (choice: Partial<typeof chosen>) => {
        const shown: string[] = [];
        for (const { panels } of dashboards) {
          for (const { title, targets } of panels) {
            const answer = await ask(targets[0].rawSql, { ...QUARTER, chosen: { ...chosen, ...choice } });
            if (hasFigures(answer)) shown.push(title);
          }
        }
        return shown;
      };
      expect(await another({ shop: 'another' })).toEqual(['All shops']);
      const health = dashboards.find(({ uid }) => uid === 'order-sync-health')?.panels ?? [];
      const ofAllCurrencies = ['Returning customers, in percent', ...health.map(({ title }) => title)];
      const shown = await another({ currency: 'XXX' });
      expect(shown.filter((title) => !ofAllCurrencies.includes(title))).toEqual([]);
      expect(shown).toContain('All shops');
    });

    test('dashboards are told apart, and so are their panels', () => {
      expect(dashboards.map(({ uid, panels }) => [uid, new Set(panels.map(({ id }) => id)).size])).toEqual([
        ['order-sync-orders', 11],
        ['order-sync-sales', 12],
        ['order-sync-health', 11],
      ]);
    });

    test('panels can be shown for a week, for two years and for a time without orders', async () => {
      const problems: string[] = [];
      // The first one is shown above.
      for (const [first, last] of RANGES.slice(1)) {
        for (const panel of dashboards.flatMap(({ panels }) => panels)) {
          const found = shapeProblems(panel, await ask(panel.targets[0].rawSql, daysOf(first, last)));
          problems.push(...found.map((problem) => `${panel.title}, from ${first}: ${problem}`));
        }
      }
      expect(problems).toEqual([]);
    });
  });
}
