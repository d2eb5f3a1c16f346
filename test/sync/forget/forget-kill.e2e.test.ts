/** The real command is killed again and again while it erases a person. */
import { expect, test } from 'vitest';

import { runCommand, startCommand } from '../../support/command-line.ts';
import { startDatabaseProxy, type Statement } from '../../support/database-proxy.ts';
import { dumpTables, readMarts } from '../../support/dump.ts';
import { atStatement, kill, type Point } from '../../support/kill.ts';
import { PSEUDONYMS, tracesIn, withForgetLab } from './forget-lab.ts';

const isCommitAfter =
  (part: string) =>
  ({ text, before }: Statement) =>
    text === 'commit' && before.some((earlier) => earlier.includes(part));
const writes =
  (part: string) =>
  ({ text }: Statement) =>
    text.includes(part);

/** In the order in which the command comes to them, so that each attempt gets further than the one before. */
const POINTS: Readonly<Record<string, Point>> = {
  'before the hashes are committed': atStatement('before', isCommitAfter('INSERT INTO ops.erasures')),
  'when they are, and the answer is lost': atStatement('after', isCommitAfter('INSERT INTO ops.erasures')),
  'after the first payload was written': atStatement('after', writes('UPDATE raw.orders')),
  'before a batch of orders is committed': atStatement('before', isCommitAfter('UPDATE raw.orders')),
  'when that is committed': atStatement('after', isCommitAfter('UPDATE raw.orders')),
  'before the accounts are removed': atStatement('before', writes('DELETE FROM core.users')),
  'when they are, and not committed': atStatement('before', isCommitAfter('DELETE FROM core.users')),
  'when that is committed, too': atStatement('after', isCommitAfter('DELETE FROM core.users')),
  'before the erasure is said to be complete': atStatement('before', writes('UPDATE ops.erasures')),
};

test('forget is killed at nine points, and when it is run again, no table holds the person and no figure changed', async () => {
  await withForgetLab(async ({ client, person, simulator, url }) => {
    await using proxy = await startDatabaseProxy(url);
    const marts = await readMarts(client, PSEUDONYMS);
    const env = (address: string) => ({ DATABASE_URL: address, PII_SECRET: 'test' });
    const args = ['forget', '--shop', 'test', '--email', person.email];
    expect(tracesIn(await dumpTables(client), person.traces)).toEqual(person.traces);
    const killed: string[] = [];
    for (const [name, point] of Object.entries(POINTS)) {
      const reached = Promise.withResolvers<void>();
      const disarm = point({ simulator, proxy }, async () => {
        reached.resolve();
        return kill(running);
      });
      const running = startCommand(args, env(proxy.url));
      const { signal } = await running.outcome;
      disarm();
      if (signal === 'SIGKILL') killed.push(name);
    }
    expect(killed).toEqual(Object.keys(POINTS));

    const last = await runCommand(args, env(url));
    expect(last, last.stderr).toMatchObject({ code: 0 });
    expect(tracesIn(await dumpTables(client), [...person.traces, `u:${person.userOid}`])).toEqual([]);
    expect(await readMarts(client, PSEUDONYMS)).toEqual(marts);
    const { rows } = await client.query('SELECT FROM tested.erasures WHERE completed_at IS NULL');
    expect(rows).toEqual([]);
  });
}, 120_000);
