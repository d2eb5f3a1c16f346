import type { AlertCause } from '../../alert-facts.ts';
import { type NextStep, nextStep } from '../../next-step.ts';

/** What is wrong with a shop, or waits for somebody. */
export type Problem = {
  /** `error`: data is missing or getting old. `warning`: it will be, or something is left out. `task`: somebody has to decide. */
  readonly weight: 'error' | 'warning' | 'task';
  readonly what: string;
  /** The next step, with what is to be typed in backticks; empty where `what` says it, or there is none to take. */
  readonly advice: string;
  /** The cause of the alert that says the same. */
  readonly cause?: AlertCause;
  /** The error of the run that it is about: an alert may quote it. */
  readonly error?: string;
};

/** A message as a sentence of its own: it begins with a capital and ends with a full stop, unless it does with another mark. */
export function sentence(text: string): string {
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return /^[a-z]+[ ,:]/.test(ended) ? `${ended.charAt(0).toUpperCase()}${ended.slice(1)}` : ended;
}

/** A command as `advice` holds it. */
export const typed = (step: NextStep, subject: Parameters<typeof nextStep>[1]) =>
  `\`${nextStep(step, subject)}\``;
