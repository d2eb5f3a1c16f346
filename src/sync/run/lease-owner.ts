import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** `host:pid`, and where the system has them, `@` and the process id's namespace. */
const OWNER = /^(?<host>.*):(?<pid>[1-9]\d{0,14})(?:@(?<namespace>\d+))?$/;

/** The name of this process as the owner of a lease. */
export function leaseOwnerName(): string {
  const namespace = pidNamespace();
  return `${hostname()}:${process.pid}${namespace === undefined ? '' : `@${namespace}`}`;
}

/**
 * Whether a lease owner is certainly dead: a process of this machine that has ended. A wrong answer costs the
 * other process its run, never data: its epoch is outdated from then on.
 */
export function isDeadOwner(owner: string): boolean {
  const { host, pid, namespace } = OWNER.exec(owner)?.groups ?? {};
  // Containers may share a host name but number their processes separately.
  if (host !== hostname() || namespace !== pidNamespace()) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return true;
  }
  return isZombie(Number(pid));
}

/**
 * Whether a process has ended, and only its parent has not noticed: in many containers nobody does, and it keeps its id
 * for as long as they run.
 */
function isZombie(pid: number): boolean {
  try {
    // The name in parentheses may hold anything. Other threads may outlive the one whose state this is.
    const [state] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
    return state === 'Z' && readdirSync(`/proc/${pid}/task`).length === 1;
  } catch {
    return false;
  }
}

/** On Linux `pid:[4026531836]`; undefined elsewhere. */
function pidNamespace(): string | undefined {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  } catch {
    return undefined;
  }
}
