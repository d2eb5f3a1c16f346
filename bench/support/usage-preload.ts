/**
 * Loaded into a measured process with `--import`: leaves what it used in the file of ORDER_SYNC_USAGE when it ends, and its
 * traffic, if ORDER_SYNC_TRAFFIC is set.
 */
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';

/** Requests that were answered, in milliseconds since the process began. */
const exchanges: { readonly sentMs: number; readonly endedMs: number }[] = [];
/** Milliseconds from the end of a response to the next request on its connection. */
const gapsMs: number[] = [];

type Sent = { readonly ms: number; readonly socket: object };
const sent = new WeakMap<object, Sent>();
const ended = new WeakMap<object, number>();

const recordRequest = (message: unknown) => {
  const { request, socket } = message as { readonly request: object; readonly socket: object };
  const ms = performance.now();
  sent.set(request, { ms, socket });
  const before = ended.get(socket);
  if (before !== undefined) gapsMs.push(ms - before);
};
const recordResponse = (message: unknown) => {
  const { request } = message as { readonly request: object };
  const begun = sent.get(request);
  if (begun === undefined) return;
  const ms = performance.now();
  exchanges.push({ sentMs: begun.ms, endedMs: ms });
  ended.set(begun.socket, ms);
};
// Of hundreds of thousands of requests it would take much of the memory that is measured.
if (process.env['ORDER_SYNC_TRAFFIC'] !== undefined) {
  subscribe('undici:client:sendHeaders', recordRequest);
  subscribe('undici:request:trailers', recordResponse);
}

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = {
    cpuMs: (userCPUTime + systemCPUTime) / 1_000,
    peakBytes: maxRSS * 1_024,
    exchanges,
    gapsMs,
  };
  writeFileSync(process.env['ORDER_SYNC_USAGE'] ?? '/dev/null', JSON.stringify(usage));
});
