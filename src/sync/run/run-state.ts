import { fenced } from '../../warehouse/ops/lease.ts';
import { believedPause } from '../../plan/clock-bounds.ts';
import { readApiProfile } from '../../warehouse/ops/api-profile.ts';
import { type ApiMemory, memoryOf, remember } from './shop-state.ts';
import { impossibleId } from '../../plan/impossible-id.ts';
import { readLatestUsers } from '../../warehouse/directory/load-users.ts';
import { readLargestIds } from '../../warehouse/orders/largest-ids.ts';
import { settleGuestSecret } from './guest-secret.ts';
import { politenessNow } from './throttle-state.ts';
import { createQuestions } from './questions.ts';
import { noteFirstVersion } from './replay-state.ts';
import type { RunDeps, ShopContext } from './run-shop.ts';

/** Gives work what is remembered of a shop, and remembers afterwards, however it ended, what was learned. */
export async function withMemory<Result>(
  context: ShopContext & Pick<RunDeps, 'lease' | 'tally' | 'absence'>,
  work: (deps: RunDeps) => Promise<Result>,
): Promise<Result> {
  const { db, lease, shop } = context;
  const profile = await readApiProfile(db, lease.shopId);
  await noteFirstVersion(db, lease.shopId, profile, context.now());
  const memory = memoryOf(profile, shop.pageLimit);
  const guestSecret = await settleGuestSecret(context, profile);
  context.absence.until = believedPause(memory.politeness?.comeBackAt, context.now());
  const deps: RunDeps = {
    ...context,
    guestSecret,
    book: { profile: memory.paging },
    doubted: new Map(memory.doubted),
    days: {
      verified: new Set(),
      changed: new Set(),
      doubtful: new Set(),
      restless: new Set(),
      unconfirmed: new Set(),
    },
    questions: createQuestions(context.api, {
      async readIds() {
        const largest = await readLargestIds(db, lease.shopId);
        return { order: impossibleId(largest.order), user: impossibleId(largest.user) };
      },
      readKnownUsers: async (limit) => readLatestUsers(db, lease.shopId, limit),
    }),
    recognition: { began: context.now(), isSeen: false },
    acceptsMissing: false,
    sweptBy: { freshness: undefined },
    audit: { last: memory.audit },
  };
  try {
    return await work(deps);
  } finally {
    const learned: ApiMemory = {
      paging: deps.book.profile,
      doubted: deps.doubted,
      politeness: politenessNow(context.api.health, deps.absence.until),
      freshness: deps.sweptBy.freshness,
      audit: deps.audit.last,
    };
    // What was learned is a help, not a need: failing to keep it must not hide why the work failed.
    const keep = fenced(db, lease, (tx) => remember(tx, lease.shopId, learned, context.now()));
    await keep.catch(() => undefined);
  }
}
