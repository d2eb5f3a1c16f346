import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { isDeadOwner, leaseOwnerName } from '../../../src/sync/run/shop-lease.ts';
import { until } from '../../support/until.ts';

/** The holder's name of another process. */
const nameOf = (pid: number | undefined) => leaseOwnerName().replace(`:${process.pid}`, `:${pid}`);

test('a process of this machine is dead once it has ended, and not before', async () => {
  const child = spawn('sleep', ['60']);
  const name = nameOf(child.pid);
  expect(isDeadOwner(name)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(isDeadOwner(name)).toBe(true);
  expect(isDeadOwner(leaseOwnerName())).toBe(false);
});

test('a process that was killed is dead even if its parent never notices, as in many containers', async (context) => {
  if (process.platform !== 'linux') context.skip('only Linux shows the state of a process in /proc');
  await using folder = await mkdtempDisposable(join(tmpdir(), 'order-sync-owner-'));
  // What stands behind the name in /proc begins with the same characters.
  const oddName = join(folder.path, 'a) R) b');
  await writeFile(oddName, '#!/bin/sh\nkill -STOP $$\n', { mode: 0o755 });
  const script = '"$0" & echo $!; exec sleep 60';
  const parent = spawn('sh', ['-c', script, oddName], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    expect(isDeadOwner(nameOf(pid))).toBe(false);
    const stat = (id: number | undefined) => readFile(`/proc/${id}/stat`, 'utf8');
    // Until it is `sleep`, the parent is a shell, which may notice that its child has ended.
    await until('the parent is sleep', async () => (await stat(parent.pid)).includes('(sleep)'));
    process.kill(pid, 'SIGKILL');
    await until('the child is a zombie', async () => (await stat(pid)).includes(') Z '));
    expect(isDeadOwner(nameOf(pid))).toBe(true);
  } finally {
    parent.kill('SIGKILL');
  }
});

test('a process that cannot be asked for is not known to be dead', () => {
  // Greater than any process id of a system.
  expect(isDeadOwner(nameOf(2 ** 40))).toBe(false);
});

/** The first thread ends, another goes on. */
const WITHOUT_FIRST_THREAD = `
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).pthread_exit(None)
`;

test('a process of which only the first thread has ended is not dead', async (context) => {
  if (process.platform !== 'linux') context.skip('only Linux shows the state of a process in /proc');
  const child = spawn('python3', ['-c', WITHOUT_FIRST_THREAD], { stdio: 'ignore' });
  try {
    if (child.pid === undefined) {
      await once(child, 'error');
      context.skip('no python3');
    }
    const stat = () => readFile(`/proc/${child.pid}/stat`, 'utf8');
    await until('its first thread has ended', async () => (await stat()).includes(') Z '));
    expect(isDeadOwner(nameOf(child.pid))).toBe(false);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a process on another machine, or in another container, may be alive', async () => {
  const child = spawn('true');
  await once(child, 'close');
  const gone = nameOf(child.pid);
  expect(isDeadOwner(gone)).toBe(true);
  expect(isDeadOwner(`other-${gone}`)).toBe(false);
  expect(isDeadOwner(`${gone.replace(/@\d+$/, '')}@1`)).toBe(false);
  expect(isDeadOwner('nonsense')).toBe(false);
});
