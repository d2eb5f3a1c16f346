import { html } from 'hono/html';

import { duration, grouped } from '../../model/amount-text.ts';
import type { ShopDetails } from '../../sync/report/shop-details.ts';
import type { StoredRun } from '../../warehouse/ops/runs.ts';
import { ago, dataTable, type Html, moment, notYet } from './text.ts';

/** What of a shop could not be understood. */
export function rejectionTable({ rejections, report }: ShopDetails, now: Temporal.Instant): Html {
  if (report.status.orders === 0) return notYet('no order was read');
  if (rejections.length === 0) return html`<p class="good">None: everything could be understood.</p>`;
  return dataTable(
    'Open rejections by reason',
    [['Field'], ['Reason', 'words'], ['Open', 'number'], ['Last seen', 'number']],
    rejections.map(({ resource, field, reason, open, last_seen_at }) => [
      field === null ? `${resource} (all of it)` : `${resource}: ${field}`,
      reason,
      grouped(open),
      ago(last_seen_at, now),
    ]),
  );
}

const FIGURES = [
  ['Days', 'days_verified'],
  ['New', 'orders_new'],
  ['Changed', 'orders_changed'],
  ['Missing', 'orders_missing'],
  ['Requests', 'requests'],
  ['Retries', 'retries'],
  ['Rejections', 'rejections'],
] as const;
/** The class of a result; any other is as it should be. */
const WEIGHTS: Readonly<Partial<Record<StoredRun['status'], string>>> = {
  failed: 'bad',
  abandoned: 'bad',
  partial: 'warn',
  interrupted: 'warn',
};

/** The last runs that did something, newest first. */
export function runTable(runs: readonly StoredRun[], now: Temporal.Instant): Html {
  if (runs.length === 0) return notYet('no run did anything');
  const figures = ['Took', ...FIGURES.map(([name]) => name)].map((name) => [name, 'number'] as const);
  const rows = runs.map((run) => {
    const took = run.started_at.until(run.finished_at ?? now).total('milliseconds');
    const result = html`<span class="${WEIGHTS[run.status] ?? ''}">${run.status}</span>`;
    const counts = FIGURES.map(([, key]) => grouped(run[key]));
    return [moment(run.started_at), run.kind, result, duration(took), ...counts];
  });
  const said = ({ error, status }: StoredRun) => (status === 'ok' ? '' : (error ?? ''));
  // Of runs in a row that ended in one way, it is said once.
  const notes = runs.map((run, index) => {
    const [note, later] = [said(run), runs[index - 1]];
    return note === '' || (later && said(later) === note) ? [] : [note];
  });
  return dataTable('Last runs', [['Began'], ['Kind'], ['Result'], ...figures], rows, notes);
}
