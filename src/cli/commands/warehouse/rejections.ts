import { nextStep } from '../../../model/next-step.ts';
import { listRejections, type RejectionGroup } from '../../../warehouse/ops/rejections.ts';
import type { CommandOptions } from '../../options.ts';
import type { CliContext } from '../../output/io.ts';
import { print, rowsOf } from '../../output/layout.ts';
import { withStoredShops } from '../../shops.ts';

/** `rejections`: what could not be read, by field and reason. Uses the database only. */
export async function rejectionsCommand(
  context: CliContext,
  { shop, all = false }: CommandOptions<'shop', 'all'>,
) {
  const groups = await withStoredShops(context, shop, ({ db, shops }) =>
    listRejections(
      db,
      shops.map(({ shopId }) => shopId),
      all,
    ),
  );
  const none = all
    ? 'There has never been a rejection.'
    : 'There are no open rejections. `--all` lists resolved ones.';
  const rows = groups.map((group) => rowOf(group, all));
  print(context, rows.length === 0 ? [none] : [rowsOf(rows), '', ADVICE]);
}

function rowOf(group: RejectionGroup, all: boolean) {
  const { shop, resource: record, field, open, resolved, seen, reason } = group;
  return {
    shop,
    record,
    field: field ?? '(whole record)',
    open,
    ...(all ? { resolved } : {}),
    times_seen: seen,
    first_seen: toMinute(group.first_seen_at),
    last_seen: toMinute(group.last_seen_at),
    reason,
    for_example: describeExample(group),
  };
}

/** In UTC. */
const toMinute = (instant: Temporal.Instant) =>
  instant.toString({ smallestUnit: 'minute' }).replace('T', ' ').replace('Z', '');

function describeExample({ resource, sample }: RejectionGroup): string {
  const key = sampleKey(sample);
  const kind = resource === 'content' ? 'order' : resource;
  const value = sample.value ?? 'nothing';
  return key === null ? value : `${kind} ${key}: ${value}`;
}

/** The record's key if it is a number: a user's may be a login or an e-mail address. */
function sampleKey({ sourceKey }: RejectionGroup['sample']): string | null {
  return sourceKey !== null && /^\d{1,19}$/.test(sourceKey) ? sourceKey : null;
}

const ADVICE =
  'Times are UTC. The rest of these records is loaded, and the original payloads are stored in raw. A rejection is ' +
  'resolved when the shop corrects its record, or when a newer version of order-sync can read it: after an upgrade, ' +
  `\`${nextStep('replay payloads')}\` normalizes all stored payloads again without requests to the shop. A list element without an ` +
  `identifier is resolved when its day is read again (\`${nextStep('load again')}\`).`;
