/** CPU time of a PostgreSQL server on this machine, from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

import type { Client } from 'pg';

/** Clock ticks per second of /proc, the same on every Linux. */
const TICKS_PER_SECOND = 100;

/**
 * @returns ms used until now by the server's processes, also by those that ended; undefined where the server's processes
 *   cannot be seen, as in a container or on another machine
 */
export async function postgresCpuMs(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const own = statOf(rows[0]?.pid ?? 0);
  if (own === undefined) return undefined;
  const postmaster = own.parent;
  const ended = statOf(postmaster)?.endedTicks ?? 0;
  const running = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat !== undefined && (stat.parent === postmaster || stat.pid === postmaster))
    .reduce((sum, stat) => sum + (stat?.ownTicks ?? 0), 0);
  return ((ended + running) / TICKS_PER_SECOND) * 1_000;
}

/** @returns ms of CPU time used until now by a process of this machine, without those it started; undefined once it ended */
export function processCpuMs(pid: number): number | undefined {
  const stat = statOf(pid);
  return stat && (stat.ownTicks / TICKS_PER_SECOND) * 1_000;
}

function statOf(pid: number) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const at = (index: number) => fields[index] ?? 0;
    return { pid, parent: at(1), ownTicks: at(11) + at(12), endedTicks: at(13) + at(14) };
  } catch {
    return undefined;
  }
}
