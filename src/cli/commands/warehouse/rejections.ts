import { nextStep } from '../../../model/next-step.ts';
import { grouped } from '../../../model/amount-text.ts';
import { listRejections, type RejectionGroup } from '../../../warehouse/ops/rejections.ts';
import type { CliContext } from '../../output/io.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import type { Given } from '../../options.ts';
import { findStoredShops } from '../../stored-shops.ts';
import { table } from '../../output/table.ts';
import { wrapNote } from '../../output/display-text.ts';

type RejectionsOptions = Given<'shop', 'all'>;

/** `rejections`: what could not be read, by field and reason. Uses the database only. */
export async function rejectionsCommand(context: CliContext, options: RejectionsOptions) {
  await using warehouse = await openWarehouse(context, readConfig(context));
  const { db } = warehouse;
  const shops = await findStoredShops(db, options.shop);
  const shopIds = shops.map(({ shopId }) => shopId);
  const groups = await listRejections(db, shopIds, options.all === true);
  const columns = context.io.outColumns();
  const text = groups.length === 0 ? noneText(options) : groupsText(groups, options, columns);
  context.io.out(text);
}

function noneText({ all }: RejectionsOptions): string {
  return all === true
    ? 'There never was a rejection.\n'
    : 'There are no open rejections. `--all` lists resolved ones.\n';
}

function groupsText(
  groups: readonly RejectionGroup[],
  { all }: RejectionsOptions,
  columns: number | undefined,
): string {
  const resolved = all === true ? ['resolved'] : [];
  const heading = ['shop', 'record', 'field', 'open', ...resolved, 'times seen', 'first seen', 'last seen'];
  const rows = groups.map((group) => [
    group.shop,
    group.resource,
    group.field ?? '(whole record)',
    grouped(group.open),
    ...(all === true ? [grouped(group.resolved)] : []),
    grouped(group.seen),
    toMinute(group.first_seen_at),
    toMinute(group.last_seen_at),
    group.reason,
    describeExample(group),
  ]);
  return `${table([[...heading, 'reason', 'for example'], ...rows], columns)}\n${wrapNote(ADVICE, columns)}\n`;
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
