import { hostname } from 'node:os';

/** How this process names itself as the holder of a lease. */
export function holderName(): string {
  return `${hostname()}:${process.pid}`;
}

/**
 * Whether a holder certainly runs no more: it was a process of this machine, and that is gone. Being wrong costs the
 * other process its run, never the data: its epoch is outdated from then on.
 */
export function isDeadHolder(holder: string): boolean {
  const [host, pid] = [
    holder.slice(0, holder.lastIndexOf(':')),
    Number(holder.slice(holder.lastIndexOf(':') + 1)),
  ];
  if (host !== hostname() || !Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
