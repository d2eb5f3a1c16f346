import { fenced } from '../warehouse/lease.ts';
import { believedPause } from '../plan/clock-bounds.ts';
import { type ApiMemory, recall, remember } from './api-memory.ts';
import { settleGuestSecret } from './guest-secret.ts';
import { politenessNow } from './politeness.ts';
import { noteFirstVersion } from './replay-state.ts';
import type { RunDeps, ShopContext } from './run-shop.ts';

/** Gives work what is remembered of a shop, and remembers afterwards, however it ended, what was learned. */
export async function withMemory<Result>(
  context: ShopContext & Pick<RunDeps, 'lease' | 'tally' | 'absence'>,
  work: (deps: RunDeps) => Promise<Result>,
): Promise<Result> {
  const { db, lease, shop } = context;
  await noteFirstVersion(db, lease.shopId, context.now());
  const memory = await recall(db, lease.shopId, shop.pageLimit);
  const guestSecret = await settleGuestSecret(context);
  context.absence.until = believedPause(memory.politeness?.comeBackAt, context.now());
  const deps: RunDeps = {
    ...context,
    guestSecret,
    book: { profile: memory.paging },
    history: { from: memory.historyFrom },
    doubted: new Map(memory.doubted),
    days: { changed: new Set(), doubtful: new Set() },
    acceptsMissing: false,
    sweptBy: { freshness: undefined },
  };
  try {
    return await work(deps);
  } finally {
    const learned: ApiMemory = {
      paging: deps.book.profile,
      historyFrom: deps.history.from,
      doubted: deps.doubted,
      politeness: politenessNow(context.api.gauge, deps.absence.until),
      freshness: deps.sweptBy.freshness,
    };
    // What was learned is a help, not a need: failing to keep it must not hide why the work failed.
    const keep = fenced(db, lease, (tx) => remember(tx, lease.shopId, learned, context.now()));
    await keep.catch(() => undefined);
  }
}
