import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from 'vitest';

import { holderName, isDeadHolder } from '../../../src/sync/run/lease-owner.ts';

/** The holder's name of another process. */
const nameOf = (pid: number | undefined) => holderName().replace(`:${process.pid}`, `:${pid}`);

test('a process of this machine is dead once it has gone, and not before', async () => {
  const child = spawn('sleep', ['60']);
  const name = nameOf(child.pid);
  expect(isDeadHolder(name)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(isDeadHolder(name)).toBe(true);
  expect(isDeadHolder(holderName())).toBe(false);
});

test('of a process on another machine, or of another container on this one, nothing is known', async () => {
  const child = spawn('true');
  await once(child, 'close');
  const gone = nameOf(child.pid);
  expect(isDeadHolder(gone)).toBe(true);
  expect(isDeadHolder(`other-${gone}`)).toBe(false);
  expect(isDeadHolder(`${gone.replace(/@\d+$/, '')}@1`)).toBe(false);
  expect(isDeadHolder('nonsense')).toBe(false);
});
