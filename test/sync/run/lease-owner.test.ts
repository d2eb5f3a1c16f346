import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from 'vitest';

import { isDeadOwner, leaseOwnerName } from '../../../src/sync/run/shop-lease.ts';

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

test('a process that cannot be checked does not count as dead', () => {
  // Greater than any process id of a system.
  expect(isDeadOwner(nameOf(2 ** 40))).toBe(false);
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
