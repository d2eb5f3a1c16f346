/** Processes that tests start. None outlives its test file, not even one that stands still. */
import type { ChildProcess } from 'node:child_process';

type Child = { readonly process: ChildProcess; readonly isGroup: boolean };

const living = new Set<Child>();

/**
 * @param isGroup whether it was started `detached`, as the first of a group that ends with it
 * @returns the process
 */
export function owned<Process extends ChildProcess>(process: Process, isGroup = false): Process {
  const child = { process, isGroup };
  living.add(child);
  process.once('exit', () => living.delete(child));
  return process;
}

/** Kills all that still live, as a power cut would. */
export function killChildren(): void {
  for (const { process: child, isGroup } of living) {
    if (isGroup && child.pid !== undefined) killGroup(child.pid);
    else child.kill('SIGKILL');
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

process.once('exit', killChildren);
