import { listRejections, type RejectionGroup } from '../../warehouse/ops/list-rejections.ts';
import { type CliContext, EXIT, type ExitCode } from '../output/io.ts';
import { configOf, openWarehouse } from '../open.ts';
import { sampleKey, sampleText } from '../output/rejection-sample.ts';
import { storedShops } from '../stored-shops.ts';
import { grouped, table } from '../output/table.ts';

export type RejectionsOptions = { readonly shop?: string; readonly all?: boolean; readonly json?: boolean };

/** `rejections`: what could not be understood, by field and reason. Asks the database alone. */
export async function rejectionsCommand(context: CliContext, options: RejectionsOptions): Promise<ExitCode> {
  await using warehouse = await openWarehouse(context, configOf(context));
  const { db } = warehouse;
  const shops = await storedShops(db, options.shop);
  const shopIds = shops.map(({ shopId }) => shopId);
  const groups = await listRejections(db, shopIds, options.all === true);
  if (options.json === true) context.io.out(`${JSON.stringify(groups.map(groupJson))}\n`);
  else context.io.out(groups.length === 0 ? noneText(options) : groupsText(groups, options));
  return EXIT.done;
}

function groupJson({ sample, ...group }: RejectionGroup) {
  const { resource, field } = group;
  const shown = { source_key: sampleKey(sample.sourceKey), value: sampleText(resource, field, sample.value) };
  return { ...group, sample: shown };
}

function noneText({ all }: RejectionsOptions): string {
  return all === true
    ? 'Every record was understood at all times.\n'
    : 'Nothing is rejected: every record is understood. `--all` lists what was resolved.\n';
}

function groupsText(groups: readonly RejectionGroup[], { all }: RejectionsOptions): string {
  const resolved = all === true ? ['resolved'] : [];
  const heading = ['shop', 'record', 'field', 'open', ...resolved, 'times seen', 'first seen', 'last seen'];
  const rows = groups.map((group) => [
    group.shop,
    group.resource,
    group.field ?? '(all of it)',
    grouped(group.open),
    ...(all === true ? [grouped(group.resolved)] : []),
    grouped(group.seen),
    minuteOf(group.first_seen_at),
    minuteOf(group.last_seen_at),
    group.reason,
    exampleOf(group),
  ]);
  return `${table([[...heading, 'reason', 'for example'], ...rows])}\n${ADVICE}`;
}

/** Times are UTC, as the database writes them. */
function minuteOf(instant: string): string {
  return instant.slice(0, 16);
}

function exampleOf({ resource, field, sample }: RejectionGroup): string {
  const key = sampleKey(sample.sourceKey);
  const kind = resource === 'content' ? 'order' : resource;
  const value = sampleText(resource, field, sample.value);
  return key === null ? value : `${kind} ${key}: ${value}`;
}

const ADVICE = `Times are UTC. All else of these records is loaded, and what the shop sent is kept in raw. A rejection is resolved when
the shop corrects its record, or when a later version of order-sync understands it: after an upgrade, \`order-sync replay\`
normalizes everything kept again without asking the shop. An element without an identifier is resolved
when its day is read again (\`order-sync backfill --force\`).
`;
