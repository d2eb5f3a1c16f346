/** Requests of this worker to a shop since it started, every attempt counted. */
export type RequestCount = {
  readonly route: string;
  readonly outcome: string;
  readonly count: number;
};
