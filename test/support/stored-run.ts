/** What work on a shop takes that sends it no request: the shop as it is registered, and a run of it. */
import type { Logger, RunContext, RunShop } from '../../src/sync/run/context.ts';
import type { Db } from '../../src/warehouse/db/database.ts';
import { findShop, type FoundShop } from '../../src/warehouse/directory/registered-shops.ts';
import { PRESENT } from './shop.ts';

export const QUIET: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined };

export async function storedShop(db: Db, shopKey = 'test'): Promise<FoundShop> {
  const shop = await findShop(db, shopKey);
  if (shop === undefined) throw new Error(`no shop ${shopKey}`);
  return shop;
}

type Given = Partial<Pick<RunContext, 'now' | 'signal'> & RunShop>;

/** @param given what is otherwise than registered; the secret is that of the sweeps of tests */
export async function storedRun(
  db: Db,
  { now = () => PRESENT, signal = new AbortController().signal, ...given }: Given = {},
): Promise<{ readonly context: RunContext; readonly shopId: number }> {
  const { shopId, ...stored } = await storedShop(db, given.shopKey);
  const shop = { ...stored, guestSecret: 'test', ...given };
  return { context: { db, shop, logger: QUIET, now, signal, version: 'test' }, shopId };
}
