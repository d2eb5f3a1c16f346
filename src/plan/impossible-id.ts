/** The largest numbers of 32 and 64 bits, and one between: a shop answers for what its numbers can hold at all. */
const CANDIDATES = [2n ** 31n - 1n, 999_999_999_999_999n, 2n ** 63n - 1n] as const;

/**
 * An identifier that nothing in a shop can have: far above all others, and no larger than it must be.
 *
 * @param largest the largest identifier that is known to be in use
 */
export function impossibleId(largest: bigint): string {
  return String(CANDIDATES.find((candidate) => candidate / 2n > largest) ?? CANDIDATES[2]);
}
