import { expect, test, vi } from 'vitest';

import { ShapeError, TerminalError, TransientError, UnavailableError } from '../../../src/model/errors.ts';
import { attempt, faultText, once } from '../../../src/sync/ask/record-faults.ts';

const { signal } = new AbortController();

test('a fault of one record counts as no answer; a fault of the shop, or an abort, is thrown', async () => {
  expect(await attempt(Promise.resolve(7), signal)).toBe(7);
  const ofRecord = [new TransientError('HTTP 500'), new TerminalError('HTTP 404'), new ShapeError('no list')];
  for (const fault of ofRecord)
    expect(await attempt(Promise.reject(fault), signal), String(fault)).toBeUndefined();
  const ofMore = [
    new TerminalError('HTTP 401', { scope: 'shop' }),
    new UnavailableError('it is down'),
    new RangeError('a fault of the program'),
  ];
  for (const fault of ofMore) await expect(attempt(Promise.reject(fault), signal)).rejects.toBe(fault);
  const stopped = AbortSignal.abort(new Error('asked to stop'));
  await expect(attempt(Promise.reject(new TransientError('cut')), stopped)).rejects.toThrow('asked to stop');
});

test('a refusal is reported as such, and any other fault by its own message', () => {
  expect(faultText(new TerminalError('no', { status: 403 }), 'order 7')).toBe(
    'the shop refuses order 7 (HTTP 403)',
  );
  expect(faultText(new TransientError('HTTP 500', { status: 500 }), 'order 7')).toBe('HTTP 500');
});

test('concurrent callers share one request, which is repeated only after a failure', async () => {
  const ask = vi.fn(async () => Promise.resolve(7));
  ask.mockRejectedValueOnce(new Error('down'));
  const shared = once(ask);
  const failed = await Promise.allSettled([shared(signal), shared(signal)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(ask).toHaveBeenCalledTimes(1);
  expect([await shared(signal), await shared(signal)]).toEqual([7, 7]);
  expect(ask.mock.calls).toEqual([[signal], [signal]]);
});
