/** Commands of the built program that read a simulated shop, and what they cost. */
import { withClient } from '../../test/support/database-clients.ts';
import type { BenchServer } from './bench-server.ts';
import { type Measured, runMeasured } from './measured-command.ts';
import { postgresCpuMs } from './process-cpu.ts';
import type { ShopProcess } from './shop-process.ts';

type Run = Measured & {
  /** Of the server's processes; undefined where they cannot be seen. */
  readonly postgresMs: number | undefined;
  readonly result: RunResult;
};

/** What `backfill --json` and `sync --json` tell. */
type RunResult = {
  readonly status: string;
  readonly orders_seen: number;
  readonly requests: number;
  readonly list_requests: number;
  readonly content_requests: number;
  readonly user_requests: number;
};

/** A load into an empty database. */
export async function measureLoad(server: BenchServer, shop: ShopProcess): Promise<Run> {
  await using database = await server.emptyDatabase();
  return await measureRun('backfill', database.url, shop);
}

export async function measureRun(
  command: 'backfill' | 'sync',
  databaseUrl: string,
  shop: ShopProcess,
): Promise<Run> {
  const env = { ...shop.env, DATABASE_URL: databaseUrl };
  const { measured, postgresMs } = await withPostgresCpu(databaseUrl, () =>
    runMeasured([command, '--json'], env),
  );
  return { ...measured, postgresMs, result: JSON.parse(measured.output) as RunResult };
}

/** @param work uses the server of that database, and is alone in that */
export async function withPostgresCpu<Result>(
  databaseUrl: string,
  work: () => Promise<Result>,
): Promise<{ readonly measured: Result; readonly postgresMs: number | undefined }> {
  return await withClient(databaseUrl, async (client) => {
    const before = await postgresCpuMs(client);
    const measured = await work();
    const after = await postgresCpuMs(client);
    return {
      measured,
      postgresMs: before === undefined || after === undefined ? undefined : after - before,
    };
  });
}
