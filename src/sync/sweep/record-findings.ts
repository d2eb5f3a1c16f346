/** What a sweep finds out about a shop besides its orders: alerts are raised from it. */
import { ShapeError } from '../../errors.ts';
import { LINE_FIELDS } from '../../normalize/line-fields.ts';
import { ORDER_FIELDS } from '../../normalize/order-fields.ts';
import { saveFindings } from '../../warehouse/ops/findings.ts';
import { type FieldResource, recordFields } from '../../warehouse/ops/payload-fields.ts';
import type { Needs, Sweep } from '../run/context.ts';
import { isRefusal } from '../run/record-faults.ts';

/**
 * Runs a sweep and records what it found, however it ends. The error of a sweep that failed matters more than one of
 * recording it.
 *
 * @throws what the sweep throws
 */
export async function recordingFindings<Result>(
  { ports, state }: Sweep,
  work: () => Promise<Result>,
): Promise<Result> {
  const { db, lease } = ports;
  const { fields, findings } = state;
  const wasLoaded = state.completedAt !== undefined;
  try {
    const result = await work();
    await saveFields(ports, fields, wasLoaded);
    await saveFindings(db, lease, changedFindings(state));
    return result;
  } catch (error) {
    if (isRefusal(error)) findings.set('credentials', error.message);
    if (error instanceof ShapeError) findings.set('drift', error.message);
    await saveFindings(db, lease, changedFindings(state)).catch(() => undefined);
    throw error;
  }
}

/** What a sweep shows that was answered by the shop and ran to its end. @param isComplete every due day was verified */
export function settleFindings(
  { findings, pausedUntil }: Needs<never, 'findings' | 'pausedUntil'>['state'],
  isComplete: boolean,
): void {
  findings.set('crashes', undefined);
  // A shop that requested a pause was perhaps not asked for anything else.
  if (pausedUntil === undefined) findings.set('credentials', undefined).set('drift', undefined);
  if (isComplete && !findings.has('deletions')) findings.set('deletions', undefined);
}

/** A sweep that finds nothing new writes nothing. */
function changedFindings({
  earlierFindings,
  findings,
}: Needs<never, 'earlierFindings' | 'findings'>['state']): Sweep['state']['findings'] {
  return new Map([...findings].filter(([cause, detail]) => earlierFindings.get(cause) !== detail));
}

/** Fields that are no news. */
const READ_FIELDS = { order: ORDER_FIELDS, line: LINE_FIELDS };

async function saveFields(
  { db, lease }: Sweep['ports'],
  fields: Sweep['state']['fields'],
  wasLoaded: boolean,
): Promise<void> {
  const resources: readonly FieldResource[] = ['order', 'line'];
  const seen = resources.flatMap((resource) =>
    [...fields[resource]].map((field) => ({
      resource,
      field,
      is_read: Object.hasOwn(READ_FIELDS[resource], field),
    })),
  );
  if (seen.length > 0) await recordFields(db, lease.shopId, seen, wasLoaded);
}
