import type { LoadEstimate } from '../../plan/load/load-cost.ts';
import { grouped, roughDuration } from '../../model/amount-text.ts';

/** What a load takes, for people: `about 27 min, 16,100 requests and 53 MB in the database`. */
export function describeLoad({ seconds, requests, bytes }: LoadEstimate): string {
  const size = bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
  return `about ${roughDuration(seconds)}, ${grouped(roughly(requests))} requests and ${size} in the database`;
}

/** To two digits: more would promise what nobody knows. */
function roughly(count: number): number {
  return Number(count.toPrecision(2));
}
