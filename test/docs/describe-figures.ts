/** The figures that the dashboards for Grafana show of a demo warehouse, against its orders. */
import type { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';

import { type Answer, askAs } from './as-reader.ts';
import { type Dashboard, expanded, readDashboards } from './dashboards.ts';
import { TIMEZONE } from './demo-warehouse.ts';
import { cents, daysOf, QUARTER, RANGES, total } from './panel-figures.ts';

/** Far from the shop's on either side; in the second, 7 September 2025 has no midnight. */
const ZONES = ['Asia/Tokyo', 'America/Santiago'];

const SALES = 'order-sync-sales';
const ORDERS = 'order-sync-orders';

/** @param connected the client of the demo warehouse, once there is one */
export function describeFigures(connected: () => Client): void {
  describe('a dashboard for Grafana', () => {
    let dashboards: readonly Dashboard[];
    beforeAll(async () => {
      dashboards = await readDashboards();
    });
    const queryOf = (uid: string, title: string) =>
      dashboards.find((dashboard) => dashboard.uid === uid)?.panels.find((panel) => panel.title === title)
        ?.targets[0].rawSql ?? `the panel ${title}?`;
    const show = (uid: string, title: string, selection = QUARTER, zone = TIMEZONE) =>
      askAs(connected(), 'bi_reader', expanded(queryOf(uid, title), selection), zone);
    const orders = async (figure: string, where: string) =>
      (
        await connected().query(
          `SELECT ${figure} AS figure FROM bi.orders WHERE currency = 'RUB' AND ${where}`,
        )
      ).rows[0].figure;

    test('what a range shows adds up to its orders, to the cent', async () => {
      for (const [first, last] of RANGES) {
        const range = daysOf(first, last);
        const placed = `order_date BETWEEN '${first}' AND '${last}'`;
        const revenue = cents(await orders('coalesce(sum(order_sum), 0)', `is_sale AND ${placed}`));
        const sales = cents(await orders('count(*)', `is_sale AND ${placed}`));
        for (const title of ['In this period', 'Revenue per day']) {
          expect(total(await show(SALES, title, range), 'Revenue'), title).toBe(revenue);
        }
        for (const title of ['In this period', 'Orders per day, by outcome']) {
          expect(total(await show(SALES, title, range), 'Sales'), title).toBe(sales);
        }
        const paid = await show(ORDERS, 'Sales per day, paid and outstanding', range);
        const owed = await orders('coalesce(sum(outstanding), 0)', `is_sale AND ${placed}`);
        expect(total(paid, 'Outstanding')).toBe(cents(owed));
        const returned = await show(ORDERS, 'Orders of this period that are returned', range);
        const gone = await orders('count(*)', `stage = 'returned' AND NOT is_deleted AND ${placed}`);
        expect(total(returned, 'Orders')).toBe(cents(gone));
      }
    });

    test('a day is the same day wherever login and viewer are', async () => {
      const titles = [
        'In this period',
        'Orders per day, by outcome',
        'Revenue per day',
        'Compared, whole days only',
      ];
      const [first, last] = ['2025-09-01', '2026-03-12'];
      const dayOnly = ({ rows }: Answer) =>
        rows.map(([label, ...values]) => [label?.slice(0, 10), ...values]);
      for (const title of titles) {
        const here = dayOnly(await show(SALES, title, daysOf(first, last)));
        for (const zone of ZONES) {
          const there = dayOnly(await show(SALES, title, daysOf(first, last, zone), zone));
          expect(there, `${title} in ${zone}`).toEqual(here);
        }
      }
    });

    test('whole days are compared with as many whole days, and today with none', async () => {
      const compared = (first: string, last: string) =>
        show(SALES, 'Compared, whole days only', daysOf(first, last)).then(({ rows }) => rows);
      const datesOf = (rows: Answer['rows']) => rows.map((row) => row.slice(0, 5));
      const rows = await compared('2026-02-01', '2026-03-14');
      expect(datesOf(rows)).toEqual([
        ['The range', '2026-02-01', '2026-03-13', '2025-12-22', '2026-01-31'],
        ['30 days', '2026-02-12', '2026-03-13', '2026-01-13', '2026-02-11'],
        ['Month so far', '2026-03-01', '2026-03-13', '2026-02-01', '2026-02-13'],
      ]);
      for (const [, from, to, otherFrom, otherTo, revenue, before] of rows) {
        const sum = (first: string, last: string) =>
          orders('sum(order_sum)', `is_sale AND order_date BETWEEN '${first}' AND '${last}'`);
        expect([revenue, before]).toEqual([
          await sum(from ?? '', to ?? ''),
          await sum(otherFrom ?? '', otherTo ?? ''),
        ]);
      }
      // The month before is shorter.
      expect(datesOf(await compared('2025-12-20', '2025-12-31')).at(-1)).toEqual([
        'Month so far',
        '2025-12-01',
        '2025-12-30',
        '2025-11-01',
        '2025-11-30',
      ]);
      expect((await compared('2026-03-14', '2026-03-14')).map(([name]) => name)).toEqual([
        '30 days',
        'Month so far',
      ]);
    });

    test('days that were not read are not compared', async () => {
      const range = daysOf('2026-02-01', '2026-03-14');
      const changes = async () =>
        (await show(SALES, 'Compared, whole days only', range)).rows.map((row) => row[7]);
      const glance = async () => (await show(SALES, 'Change from the previous period', range)).rows.length;
      const change = expect.stringMatching(/^-?[\d.]+$/);
      expect([await changes(), await glance()]).toEqual([[change, change, change], 1]);
      const unread = `UPDATE ops.days SET verified_at = $1 WHERE day = '2026-01-13' AND shop_id = 1`;
      const { rows } = await connected().query(`SELECT verified_at FROM ops.days WHERE day = '2026-01-13'`);
      await connected().query(unread, [null]);
      try {
        expect([await changes(), await glance()]).toEqual([[null, null, change], 0]);
      } finally {
        await connected().query(unread, [rows[0].verified_at]);
      }
    });

    test('open orders, money outstanding and refunds are those of the orders', async () => {
      const isOpen = `stage IN ('open', 'fulfilment') AND NOT is_deleted`;
      const open = cents(await orders('count(*)', isOpen));
      expect(total(await show(ORDERS, 'Open orders now'), 'Open orders')).toBe(open);
      const byAge = await show(ORDERS, 'Open orders now, by age');
      expect(total(byAge, 'Open') + total(byAge, 'In fulfilment')).toBe(open);
      const owed = cents(await orders('sum(outstanding)', 'is_sale'));
      expect(total(await show(ORDERS, 'Money outstanding now'), 'Together')).toBe(owed);
      const owedByAge = await show(ORDERS, 'Money outstanding now, by age of the order');
      expect(total(owedByAge, 'Open orders') + total(owedByAge, 'Other sales')).toBe(owed);
      const refunded = `SELECT sum(refunded_amount) AS figure FROM bi.payments WHERE currency = 'RUB'`;
      const { rows } = await connected().query(refunded);
      expect(cents(rows[0].figure)).toBeGreaterThan(0n);
      for (const title of ['Refunds in this period', 'Refunds per day']) {
        expect(total(await show(ORDERS, title), 'Refunded'), title).toBe(cents(rows[0].figure));
      }
    });
  });
}
