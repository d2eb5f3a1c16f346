import type { Tx } from '../../warehouse/db/database.ts';
import { forgetCodes } from '../../warehouse/directory/shown-codes.ts';
import { completeErasures } from '../../warehouse/ops/erasures.ts';
import { forgetFields } from '../../warehouse/ops/payload-fields.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { refreshShownFields } from '../../warehouse/ops/shown-fields.ts';
import type { RunPorts, RunState } from '../run/context.ts';
import {
  addCounts,
  SCRUB_BATCH,
  SCRUB_BATCH_SIZE,
  type ScrubBatch,
  type ScrubCounts,
} from './scrub-batches.ts';
import { saveScrubState, SCRUB_STAGES, type ScrubPosition, type ScrubState } from './scrub-state.ts';

type Ports = Pick<RunPorts, 'db' | 'lease' | 'logger' | 'now' | 'privacy' | 'shop' | 'signal'>;

/**
 * Removes from everything stored of a shop what must not be stored, batch by batch; a run that ends early is continued by
 * the next one.
 *
 * @param target what is removed, see `scrubTarget`
 * @param policy the setting that the stored rows comply with afterwards
 */
export async function scrubStored(
  { db, lease, logger, now, privacy, shop, signal }: Ports,
  state: Pick<RunState, 'scrub' | 'shownFields'>,
  target: string,
  policy: string | null,
): Promise<ScrubCounts> {
  const { shopId } = lease;
  const scrubbing = { db, shopId, shop, privacy };
  const left = state.scrub.position?.target === target ? state.scrub.position : undefined;
  let counts: ScrubCounts = {};
  const save = async (position: ScrubPosition | undefined, next: ScrubState, write: ScrubBatch['write']) => {
    const written = await fenced(db, lease, async (tx) => {
      const written = await write(tx);
      if (position === undefined) await finish(tx);
      await saveScrubState(tx, shopId, next, now());
      return written;
    });
    state.scrub = next;
    counts = addCounts(counts, written);
  };
  const finish = async (tx: Tx) => {
    await completeErasures(tx, shopId);
    await forgetCodes(tx, shopId, (code) => shop.pseudonymize !== undefined || privacy.erased.areIn(code));
    // Somebody may have typed a name where the shop expects that of a field.
    await forgetFields(tx, shopId);
  };
  for (const stage of SCRUB_STAGES.slice(SCRUB_STAGES.indexOf(left?.stage ?? 'orders'))) {
    let after = left?.stage === stage ? left.after : undefined;
    for (;;) {
      signal.throwIfAborted();
      const batch = await SCRUB_BATCH[stage](scrubbing, after, SCRUB_BATCH_SIZE);
      if (batch.last === undefined) break;
      after = batch.last;
      const position = { target, stage, after };
      await save(position, { ...state.scrub, position }, batch.write);
    }
  }
  // What bi shows of extra fields is made of what is stored.
  if (state.shownFields) {
    const waiting = await refreshShownFields(db, lease, state.shownFields.minPeers);
    state.shownFields = { ...state.shownFields, waiting };
  }
  await save(undefined, { policy, position: undefined }, nothing);
  logger.info({ shop: shop.shopKey, ...counts }, 'persons removed from what is stored');
  return counts;
}

const nothing: ScrubBatch['write'] = async () => ({});
