/** What a sweep finds out about a shop besides its orders: alerts are raised from it. */
import { isRefusal, ShapeError } from '../../model/errors.ts';
import { LINE_FIELDS } from '../../normalize/lines.ts';
import { DOCUMENTED_FIELDS } from '../../normalize/order-fields.ts';
import type { FindingCause } from '../../model/alert-facts.ts';
import { type FieldResource, recordFields } from '../../warehouse/ops/payload-fields.ts';
import type { Sweep } from '../run/context.ts';

/**
 * Runs a sweep and records what it found, however it ends. The error of a sweep that failed matters more than one of
 * recording it.
 *
 * @throws what the sweep throws
 */
export async function recordingFindings<Result>(sweep: Sweep, work: () => Promise<Result>): Promise<Result> {
  const { state } = sweep;
  const wasLoaded = state.completedAt !== undefined;
  try {
    const result = await work();
    await saveFields(sweep, wasLoaded);
    return result;
  } catch (error) {
    if (isRefusal(error)) state.causes.set('credentials', error.message);
    if (error instanceof ShapeError) state.causes.set('drift', error.message);
    throw error;
  } finally {
    // Saved with the state of the shop.
    state.findings = { ...state.findings, ...Object.fromEntries(state.causes) };
  }
}

/** What a sweep shows that was answered by the shop and ran to its end. @param isComplete every due day was verified */
export function settleFindings(
  { causes, pausedUntil }: Pick<Sweep['state'], 'causes' | 'pausedUntil'>,
  isComplete: boolean,
): void {
  const over: FindingCause[] = ['crashes'];
  // A shop that requested a pause was perhaps not asked for anything else.
  if (pausedUntil === undefined) over.push('credentials', 'drift');
  if (isComplete) over.push('deletions');
  for (const cause of over) if (!causes.has(cause)) causes.set(cause, undefined);
}

/** Fields that are no news. */
const READ_FIELDS: Readonly<Record<FieldResource, (field: string) => boolean>> = {
  order: (field) => DOCUMENTED_FIELDS.has(field),
  line: (field) => LINE_FIELDS.has(field),
  form: () => true,
};

async function saveFields({ ports, state }: Sweep, wasLoaded: boolean): Promise<void> {
  const { db, lease } = ports;
  const { began, fields } = state;
  const resources: readonly FieldResource[] = ['order', 'line', 'form'];
  const seen = resources.flatMap((resource) =>
    [...fields[resource]].map((field) => ({ resource, field, is_read: READ_FIELDS[resource](field) })),
  );
  if (seen.length > 0) await recordFields(db, lease.shopId, seen, wasLoaded, began);
}
