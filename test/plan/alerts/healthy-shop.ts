/** A shop of which nothing is to be told. */
import type { AlertFacts, Silence } from '../../../src/model/alert-facts.ts';
import { judgeShop } from '../../../src/plan/alerts/alert-causes.ts';

export const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');

export const HEALTHY: AlertFacts = {
  shopKey: 'north',
  freshAt: NOW,
  targetMs: 300_000,
  lookedAt: NOW,
  openReason: undefined,
  failures: 0,
  lastError: undefined,
  isLoaded: true,
  newRejections: 0,
  earlierRejections: 0,
  newFields: [],
  silence: { ms: 3_600_000, expected: 0, expectedLately: 0 },
  findings: {},
};

export function isSilent(silence: Silence): boolean {
  const verdicts = judgeShop({ ...HEALTHY, silence }, NOW);
  return verdicts.some(({ cause, finding }) => cause === 'silent' && finding !== undefined);
}
