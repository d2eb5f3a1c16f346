import type { Db } from '../../warehouse/db/database.ts';
import type { Lease } from '../../warehouse/ops/lease.ts';
import {
  saveShopState,
  type ShopStateChanges,
  type StoredShopState,
} from '../../warehouse/ops/stored-shop-state.ts';
import { toDueRows } from './remembered.ts';
import { type ShopState, toColumns, toShopState } from './shop-state.ts';

/** @returns a function that saves what changed since the last load or save; it sends no statement if nothing did */
export function createStateSaver(
  db: Db,
  lease: Lease,
  stored: StoredShopState,
  now: () => Temporal.Instant,
): (state: ShopState) => Promise<void> {
  let saved = snapshot(toShopState(stored));
  const save = async (state: ShopState) => {
    const next = snapshot(state);
    const changes = changedColumns(saved.columns, next.columns);
    const due = next.due === saved.due ? undefined : toDueRows(state);
    if (Object.keys(changes).length === 0 && due === undefined) return;
    await saveShopState(db, lease, changes, due, now());
    saved = next;
  };
  let saving: Promise<unknown> = Promise.resolve();
  return (state) => {
    // One save after the other, so that the latest state stays.
    const saved = saving.then(() => save(state));
    saving = saved.catch(() => undefined);
    return saved;
  };
}

function snapshot(state: ShopState) {
  return { columns: toColumns(state), due: JSON.stringify(toDueRows(state)) };
}

function changedColumns(before: ShopStateChanges, now: ShopStateChanges): ShopStateChanges {
  const known = new Map<string, unknown>(Object.entries(before));
  const isSame = (name: string, value: unknown) => JSON.stringify(known.get(name)) === JSON.stringify(value);
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => !isSame(name, value)));
}
