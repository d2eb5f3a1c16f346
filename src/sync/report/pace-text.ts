import type { throttleJson } from '../run/throttle-state.ts';

/** How fast a shop is asked, and why no faster: "at most 16 requests at once, about 30 a second: the shop refuses more". */
export function paceText({
  concurrency,
  max_concurrency: maxConcurrency,
  max_rps: maxRps,
  found_rps: found,
  limited_by: by,
}: Omit<ReturnType<typeof throttleJson>, 'paused_until'>): string {
  if (by === 'rate' && found !== null) {
    const rounded = found < 10 ? found.toFixed(1) : Math.round(found);
    return `the shop takes about ${rounded} requests a second, and refuses more`;
  }
  if (by === 'slowness') {
    return `${concurrency} at once, of at most ${maxConcurrency}, since the shop becomes slower when it is asked for more`;
  }
  if (by === 'failures') {
    return `${concurrency} at once, of at most ${maxConcurrency}, since some requests failed; the pace rises again by itself`;
  }
  return `up to ${maxConcurrency} at once and ${maxRps} a second, the most that the settings allow`;
}
