/** Loads of a simulated shop by the built program, each into an empty database. */
import { Client } from 'pg';

import type { BenchServer } from '../database.ts';
import { type Measured, runMeasured } from './measured-command.ts';
import { postgresCpuMs } from './postgres-cpu.ts';
import type { ShopProcess } from './shop-process.ts';

export type Load = Measured & {
  /** Of the server's processes; undefined where they cannot be seen. */
  readonly postgresMs: number | undefined;
  readonly result: LoadResult;
};

/** What `backfill --json` tells. */
type LoadResult = {
  readonly status: string;
  readonly orders_seen: number;
  readonly requests: number;
  readonly list_requests: number;
  readonly content_requests: number;
  readonly user_requests: number;
};

export async function measureLoad(server: BenchServer, shop: ShopProcess): Promise<Load> {
  await using database = await server.emptyDatabase();
  return await measureInto(database.url, shop);
}

export async function measureInto(databaseUrl: string, shop: ShopProcess): Promise<Load> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const before = await postgresCpuMs(client);
    const measured = await runMeasured(['backfill', '--json'], { ...shop.env, DATABASE_URL: databaseUrl });
    const after = await postgresCpuMs(client);
    const postgresMs = before === undefined || after === undefined ? undefined : after - before;
    return { ...measured, postgresMs, result: JSON.parse(measured.output) as LoadResult };
  } finally {
    await client.end();
  }
}
