/** An erasure that loses its database again and again goes on with whatever runs next. */
import { expect, test } from 'vitest';

import type { ShopSettings } from '../../../src/sync/run/context.ts';
import { openDatabase } from '../../../src/warehouse/db/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import {
  MODES,
  type PrivacyLab,
  readContacts,
  readFigures,
  SAVING,
  withPrivacyLab,
} from '../../support/privacy/lab.ts';
import { MEMBER, OTHERS, type Person, REJECTED } from '../../support/privacy/persons.ts';

const [KEEP] = MODES;

test('an interrupted erasure erases nothing, and repeated it erases everything, even if persons are no longer stored', () =>
  withPrivacyLab(KEEP, async (lab) => {
    const { client, find, orders, sweep } = lab;
    const [marts, contacts] = [await readFigures(client), await readContacts(client, orders)];
    const held = await find(MEMBER);
    expect(held).not.toEqual([]);
    await using proxy = await startDatabaseProxy(lab.url);
    const cutShort = async (person: Person) => {
      for (const _ of [1, 2]) {
        const isCut = await cutOff(proxy, async () => (await lab.forget(person, proxy.url)).code === 0);
        expect(isCut).toBe(true);
      }
    };
    await cutShort(MEMBER);
    await sweep({ kind: 'sync' });
    expect(await find(MEMBER)).toHaveLength(held.length);
    expect((await lab.forget(MEMBER)).code).toBe(0);
    expect(await find(MEMBER)).toEqual([]);
    expect(await readFigures(client)).toEqual(marts);
    expect(await readContacts(client, orders)).toEqual(contacts);

    await cutShort(REJECTED);
    const saving = { ...REJECTED, account: undefined };
    expect(await find(OTHERS)).not.toEqual([]);
    await syncAt(lab, lab.url, SAVING);
    expect(await find(MEMBER, saving, OTHERS)).toEqual([]);
  }));

async function syncAt(
  { sweep }: PrivacyLab,
  url: string,
  settings: Partial<ShopSettings> = {},
): Promise<boolean> {
  await using database = await openDatabase(url);
  const swept = await sweep({ kind: 'sync' }, { into: database.db, settings }).catch(() => undefined);
  return swept !== undefined;
}

/** Cuts the connection that is about to commit an erasure. @returns whether the work failed for it */
async function cutOff(proxy: DatabaseProxy, work: () => Promise<boolean>): Promise<boolean> {
  let cuts = 0;
  proxy.handle(async ({ text, before }, forward) => {
    if (text === 'commit' && before.some((earlier) => earlier.includes('INSERT INTO "ops"."erasures"'))) {
      cuts += 1;
      throw new Error('the connection is cut');
    }
    await forward();
  });
  const isDone = await work();
  proxy.handle((_statement, forward) => forward());
  return !isDone && cuts === 1;
}
