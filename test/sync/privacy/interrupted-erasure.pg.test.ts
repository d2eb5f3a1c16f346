/** An erasure that loses its database again and again goes on with whatever runs next. */
import { expect, test } from 'vitest';

import type { ShopSettings } from '../../../src/sync/run/context.ts';
import { openDatabase } from '../../../src/warehouse/db/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import { readMarts } from '../../support/dump.ts';
import {
  MAY_DIFFER,
  MODES,
  type PrivacyLab,
  readContacts,
  SAVING,
  withPrivacyLab,
} from '../../support/privacy/lab.ts';
import { MEMBER, OTHERS, type Person, REJECTED } from '../../support/privacy/persons.ts';

const [KEEP] = MODES;

test('an erasure that is cut off three times is finished by a sync, also by one that stores no person any more', async () => {
  await withPrivacyLab(KEEP, async (lab) => {
    const { client, find, orders, sweep } = lab;
    const [marts, contacts] = [await readMarts(client, MAY_DIFFER), await readContacts(client, orders)];
    await using proxy = await startDatabaseProxy(lab.url);
    const cutShort = async (person: Person) => {
      // Before anything is remembered, before anything is erased, and when a part is.
      for (const nth of [1, 2]) {
        expect(await cutAt(proxy, nth, async () => (await lab.forget(person, proxy.url)).code === 0)).toBe(
          true,
        );
      }
      expect(await cutAt(proxy, 2, () => syncAt(lab, proxy.url))).toBe(true);
    };
    await cutShort(MEMBER);
    await sweep({ kind: 'sync' });
    expect(await find(MEMBER)).toEqual([]);
    expect(await readMarts(client, MAY_DIFFER)).toEqual(marts);
    expect(await readContacts(client, orders)).toEqual(contacts);

    await cutShort(REJECTED);
    const saving = { ...REJECTED, account: undefined };
    expect(await find(OTHERS)).not.toEqual([]);
    await syncAt(lab, lab.url, SAVING);
    expect(await find(MEMBER, saving, OTHERS)).toEqual([]);
    await sweep(undefined, { settings: SAVING });
    expect(await find(MEMBER, REJECTED, OTHERS)).toEqual([]);
  });
});

async function syncAt(
  { sweep }: PrivacyLab,
  url: string,
  settings: Partial<ShopSettings> = {},
): Promise<boolean> {
  await using database = await openDatabase(url);
  const swept = await sweep({ kind: 'sync' }, { into: database.db, settings }).catch(() => undefined);
  return swept !== undefined;
}

/** Cuts the connection that begins the n-th commit. @returns whether the work failed for it */
async function cutAt(proxy: DatabaseProxy, nth: number, work: () => Promise<boolean>): Promise<boolean> {
  let commits = 0;
  proxy.handle(async ({ text }, forward) => {
    if (text === 'commit' && ++commits === nth) throw new Error('the connection is cut');
    await forward();
  });
  const isDone = await work();
  proxy.handle((_statement, forward) => forward());
  return !isDone;
}
