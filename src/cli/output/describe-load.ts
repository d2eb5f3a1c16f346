import type { LoadEstimate } from '../../plan/first-load.ts';
import { grouped } from './table.ts';

/** What a load takes, for people: `about 27 min, 16,100 requests and 53 MB in the database`. */
export function describeLoad({ seconds, requests, bytes }: LoadEstimate): string {
  const size = bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
  return `about ${duration(seconds)}, ${grouped(roughly(requests))} requests and ${size} in the database`;
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** To two digits: more would promise what nobody knows. */
function roughly(count: number): number {
  return Number(count.toPrecision(2));
}
