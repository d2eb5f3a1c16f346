/** Persons who are erased, kept for a while only, or taken out, where tables are spread over nodes. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { runCommand, settingsFor } from '../support/command-line.ts';
import { withClient } from '../support/database-clients.ts';
import { findTexts } from '../support/find-texts.ts';
import { needs } from '../support/needs.ts';
import { differences } from '../support/truth.ts';
import { CITUS_URL, distributeWarehouse } from './citus-warehouse.ts';

const ERASED = { fio: 'Аврелий Подколёсин', email: 'aurel@mail.example', phone: '+7 916 555-12-34' };
const TRACES = ['подколёсин', 'aurel@mail.example', '9165551234', '555-12-34', '555 12 34'];

/** Three orders of one guest, named once where staff type. @returns contacts of all others, in lower case */
function nameBuyers({ shop }: Simulator): readonly string[] {
  const own = shop.orders().filter(({ buyerOid }) => buyerOid === 6);
  for (const { orderId } of own.slice(0, 3)) shop.editOrder(orderId, ERASED);
  shop.setRaw(own[0]?.orderId ?? 0, { delivery: `Курьером: ${ERASED.fio}, 8 916 555 12 34` });
  const contacts = [...shop.orders(), ...shop.users()].flatMap(({ email, phone }) => [email, phone]);
  return contacts.filter((text) => text.length > 5 && text !== ERASED.email && text !== ERASED.phone);
}

/** Every row of the warehouse's tables, from all nodes, in lower case. */
async function dump(client: Client): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('core', 'raw', 'ops')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n').toLowerCase();
}

async function readSales(client: Client): Promise<readonly unknown[]> {
  const { rows } = await client.query('SELECT * FROM bi.daily_sales ORDER BY shop, order_date, currency');
  return rows;
}

async function countRaw(client: Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    'SELECT (SELECT count(*) FROM raw.orders)::int + (SELECT count(*) FROM raw.order_contents)::int AS n',
  );
  return rows[0]?.n ?? -1;
}

test(
  'on a Citus, a person can be erased, raw answers are pruned, and pseudonymizing can be switched on (needs CITUS_URL)',
  needs(CITUS_URL !== undefined, 'CITUS_URL names no Citus'),
  async () => {
    const url = CITUS_URL ?? '';
    await distributeWarehouse(url);
    await using simulator = await startSimulator({ orders: 120, days: 40 });
    const others = nameBuyers(simulator);
    const env = { ...settingsFor(simulator, url), PII_SECRET: 'a secret of the tests' };
    const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
      const outcome = await runCommand(args, { ...env, ...more });
      expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    };
    await withClient(url, async (client) => {
      await run(['backfill']);
      const sales = await readSales(client);
      expect(sales.length).toBeGreaterThan(10);
      const before = await dump(client);
      expect(findTexts(TRACES, before)).not.toEqual([]);
      expect(findTexts(others, before).length).toBeGreaterThan(50);

      await run(['forget', '--email', ERASED.email]);
      expect(findTexts(TRACES, await dump(client))).toEqual([]);
      // What the shop still sends brings none of it back.
      await run(['backfill', '--force']);
      const after = await dump(client);
      expect(findTexts(TRACES, after)).toEqual([]);
      expect(findTexts(others, after)).toEqual(findTexts(others, before));
      expect(await readSales(client)).toEqual(sales);

      expect(await countRaw(client)).toBeGreaterThan(200);
      const earlier = Temporal.Now.instant().subtract({ hours: 72 }).toString();
      for (const table of ['raw.orders', 'raw.order_contents'])
        await client.query(`UPDATE ${table} SET fetched_at = $1`, [earlier]);
      await client.query("UPDATE ops.shop_state SET memory = memory - 'prunedAt'");
      await run(['sync'], { RAW_KEPT: '2d' });
      expect(await countRaw(client)).toBe(0);
      expect(await differences(client, simulator.shop, { shopKey: 'default' })).toEqual([]);

      await run(['sync'], { PII_MODE: 'pseudonymize' });
      expect(findTexts(others, await dump(client))).toEqual([]);
      expect(await readSales(client)).toEqual(sales);
    });
  },
);
