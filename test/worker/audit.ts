/** Watches, inside the database, who writes a shop's tables: only the holder of its lease may. */
import type { Client } from 'pg';

const TABLES = ['core.orders', 'core.order_lines', 'core.order_history', 'ops.days', 'ops.rejections'];

/** From now on, every write to a shop's tables is kept with its epoch, the lease's holder, and who wrote. */
export async function startAudit(client: Client): Promise<void> {
  await client.query(`
    CREATE TABLE public.audit (
      shop_id integer, epoch bigint, holder text, writer text, at timestamptz, tx xid8,
      PRIMARY KEY (tx, shop_id));
    CREATE FUNCTION public.audit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO public.audit
      SELECT l.shop_id, l.epoch, l.holder, current_setting('application_name'), clock_timestamp(), pg_current_xact_id()
      FROM tested.leases l WHERE l.shop_id IN (SELECT DISTINCT shop_id FROM changed)
      ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;`);
  for (const table of TABLES) {
    const name = table.replace('.', '_');
    for (const [event, transition] of [
      ['INSERT', 'NEW'],
      ['UPDATE', 'NEW'],
      ['DELETE', 'OLD'],
    ]) {
      await client.query(`
        CREATE TRIGGER audit_${name}_${event} AFTER ${event} ON ${table}
        REFERENCING ${transition} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.audit()`);
    }
  }
}

export type AuditReport = {
  /** Transactions that wrote a shop's tables, and the epochs that they were of. */
  readonly commits: number;
  readonly epochs: number;
  readonly writers: number;
  /** Commits by another process than the lease's holder, or after a later epoch had begun to write. */
  readonly overlapping: number;
};

export async function auditReport(client: Client): Promise<AuditReport> {
  const { rows } = await client.query<Record<keyof AuditReport, number>>(`
    WITH ordered AS (
      SELECT *, max(epoch) OVER (PARTITION BY shop_id ORDER BY at, tx ROWS UNBOUNDED PRECEDING) AS newest FROM public.audit
    )
    SELECT count(*)::int AS commits, count(DISTINCT (shop_id, epoch))::int AS epochs,
      count(DISTINCT writer)::int AS writers,
      count(*) FILTER (WHERE newest > epoch OR writer <> left('order-sync ' || split_part(holder, '@', 1), 63))::int AS overlapping
    FROM ordered`);
  const [report] = rows;
  if (report === undefined) throw new Error('the audit returned no row');
  return report;
}
