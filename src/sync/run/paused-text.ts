import { nextStep } from '../../next-step.ts';
import { utcText } from '../../utc-text.ts';

/** Since when a shop is paused, and how to end that, without a full stop. */
export const pausedText = (since: Temporal.Instant, shop: string) =>
  `paused since ${utcText(since)}; ${nextStep('resume shop', { shop })} brings it back`;
