import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** `host:pid`, and where the system has such, `@` and the namespace that the process number is of. */
const HOLDER = /^(?<host>.*):(?<pid>[1-9]\d{0,14})(?:@(?<space>\d+))?$/;

/** How this process names itself as the holder of a lease. */
export function holderName(): string {
  const space = processSpace();
  return `${hostname()}:${process.pid}${space === undefined ? '' : `@${space}`}`;
}

/**
 * Whether a holder certainly runs no more: it was a process of this machine, and that is gone. Being wrong costs the
 * other process its run, never the data: its epoch is outdated from then on.
 */
export function isDeadHolder(holder: string): boolean {
  const { host, pid, space } = HOLDER.exec(holder)?.groups ?? {};
  // Containers may share the name of their host, and count their processes apart.
  if (host !== hostname() || space !== processSpace()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** On Linux `pid:[4026531836]`; undefined elsewhere. */
function processSpace(): string | undefined {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  } catch {
    return undefined;
  }
}
