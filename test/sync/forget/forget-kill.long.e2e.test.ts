/** The real command is killed while it erases a person. */
import { expect, test } from 'vitest';

import { startCommand } from '../../support/command-line.ts';
import { startDatabaseProxy, type Statement } from '../../support/database-proxy.ts';
import { dumpTables } from '../../support/dump.ts';
import { atStatement, kill, type Point } from '../../support/kill.ts';
import { readFigures, tracesIn, withForgetLab } from './forget-lab.ts';

const isCommitAfter =
  (part: string) =>
  ({ text, before }: Statement) =>
    text === 'commit' && before.some((earlier) => earlier.includes(part));
const writes =
  (part: string) =>
  ({ text }: Statement) =>
    text.includes(part);

/** In the order in which the command comes to them. */
const POINTS: Readonly<Record<string, Point>> = {
  'when the hashes are written': atStatement('after', writes('INSERT INTO "ops"."erasures"')),
  'when orders are written': atStatement('after', writes('UPDATE raw.orders')),
  'when their persons are gone': atStatement('after', writes('DELETE FROM core.order_persons')),
  'before the accounts are removed': atStatement('before', writes('DELETE FROM core.users')),
  'before all of that is committed': atStatement('before', isCommitAfter('INSERT INTO "ops"."erasures"')),
};
const COMMITTED = atStatement('after', isCommitAfter('INSERT INTO "ops"."erasures"'));

test('forget is killed before it commits, and nothing is erased; killed after that, everything is', async () => {
  await withForgetLab(async ({ client, person, simulator, url }) => {
    await using proxy = await startDatabaseProxy(url);
    const marts = await readFigures(client);
    const args = ['forget', '--shop', 'test', '--email', person.email];
    const killAt = async (point: Point) => {
      const disarm = point({ simulator, proxy }, async () => kill(running));
      const running = startCommand(args, { DATABASE_URL: proxy.url, PII_SECRET: 'test' });
      const { signal } = await running.outcome;
      disarm();
      return signal;
    };
    const traces = async () => tracesIn(await dumpTables(client), person.traces);
    for (const [name, point] of Object.entries(POINTS)) {
      expect(await killAt(point), name).toBe('SIGKILL');
      expect(await traces(), name).toEqual(person.traces);
    }
    expect(await killAt(COMMITTED)).toBe('SIGKILL');
    expect(tracesIn(await dumpTables(client), [...person.traces, `u:${person.userOid}`])).toEqual([]);
    expect(await readFigures(client)).toEqual(marts);
  });
}, 120_000);
