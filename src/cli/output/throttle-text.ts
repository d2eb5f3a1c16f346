import { type Politeness, utcText } from '../../sync/run/throttle-state.ts';

/** How a shop is treated, for people. */
export function politenessText(politeness: Politeness | undefined): string {
  if (politeness === undefined) return 'no run yet';
  const { concurrency, maxConcurrency, maxRps, circuit, comeBackAt } = politeness;
  const state = circuit === 'closed' ? '' : `; it did not answer (circuit ${circuit})`;
  const absence = comeBackAt === undefined ? '' : `; it asked to come back at ${utcText(comeBackAt)}`;
  return `${concurrency} of ${maxConcurrency} requests at once, ${maxRps} per second${state}${absence}`;
}
