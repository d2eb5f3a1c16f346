/** What is wrong with a shop, or waits for somebody. */
export type Problem = {
  /** `error`: data is missing or getting old. `warning`: it will be, or something is left out. `task`: somebody has to decide. */
  readonly weight: 'error' | 'warning' | 'task';
  readonly what: string;
  /** The next step, with what is to be typed in backticks; empty where `what` says it, or there is none to take. */
  readonly advice: string;
  /** What sweeps record the same under in `ops.findings`. */
  readonly cause?: string;
  /** The error of the run that it is about: a finding may be the same. */
  readonly error?: string;
};
