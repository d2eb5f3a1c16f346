/** How a command ended; scripts rely on the numbers. */

export const EXIT = {
  done: 0,
  failed: 1,
  /** Wrong arguments or settings: nothing was done. */
  usage: 2,
  /** Done in part: the rest is due and follows. */
  partial: 3,
  /** `verify` found differences. */
  different: 4,
  /** By Ctrl+C, as shells report it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const { done, different, partial, failed, usage, interrupted } = EXIT;
/** From best to worst. */
const SEVERITY: readonly ExitCode[] = [done, different, partial, failed, usage, interrupted];

/** What a command on several shops ends with, if two of them ended with these. */
export function worse(one: ExitCode, other: ExitCode): ExitCode {
  return SEVERITY.indexOf(one) > SEVERITY.indexOf(other) ? one : other;
}
