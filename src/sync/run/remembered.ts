/** What a run remembers to be done later, as rows of `ops.due`: it has it in memory, and saves it with the state of the shop. */
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { BELIEVE_LIST_AFTER_MS } from '../../plan/orders/unlisted.ts';
import type { ListPosition } from '../../shop-api/paging/read-shop-list.ts';
import type { DueRow } from '../../warehouse/ops/due.ts';

/** Where the reading of the list without dates goes on. */
export type AuditPosition = ListPosition & {
  /** When its first page was requested. */
  readonly began: Temporal.Instant;
  /** Orders without a date that it has seen. */
  readonly undated: readonly string[];
};

export type Remembered = {
  /** Unlisted orders that are not known to be gone, and since when, by the database's clock. */
  readonly suspects: Map<string, Temporal.Instant>;
  /** Where the reading of the list without dates goes on; undefined: none was begun, or it ended. */
  auditPosition: AuditPosition | undefined;
};

/** Suspects beyond this number are not saved, and so stay suspects for longer. */
const MAX_SUSPECTS = 10_000;

export function toRemembered(due: readonly DueRow[]): Remembered {
  const ofKind = (wanted: DueRow['kind']) => due.filter(({ kind }) => kind === wanted);
  const [audit] = ofKind('audit');
  return {
    suspects: new Map(ofKind('missing').map(({ key, since }) => [key, since])),
    auditPosition: audit && toPosition(audit),
  };
}

export function toDueRows({ auditPosition, suspects }: Remembered): readonly DueRow[] {
  const said = { attempts: 0, reason: null, data: null };
  const missing = [...suspects].slice(0, MAX_SUSPECTS).map(([key, since]): DueRow => {
    return {
      ...said,
      kind: 'missing',
      key,
      since,
      due_at: since.add({ milliseconds: BELIEVE_LIST_AFTER_MS }),
    };
  });
  return [...missing, ...(auditPosition ? [positionRow(auditPosition)] : [])];
}

function positionRow({ began, last, ...rest }: AuditPosition): DueRow {
  const data: JsonObject = { ...rest, last: last ?? null };
  return { kind: 'audit', key: '', since: began, due_at: began, attempts: 0, reason: null, data };
}

function toPosition({ since, data }: DueRow): AuditPosition | undefined {
  if (!isJsonObject(data)) return undefined;
  const { start, last, rows, isBack, undated } = data;
  return {
    began: since,
    start: Number(start),
    last: typeof last === 'string' ? last : undefined,
    rows: Number(rows),
    isBack: isBack === true,
    undated: Array.isArray(undated) ? undated.map(String) : [],
  };
}
