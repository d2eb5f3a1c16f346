export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] =
    sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}

/** The smallest of the values that so large a share of them does not exceed. @param share such as 0.99 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}

/** Runs each of the contestants so many times, by turns, so that what else the machine does falls upon all of them. */
export async function interleaved<Name extends string, Result>(
  rounds: number,
  contestants: Readonly<Record<Name, () => Promise<Result>>>,
): Promise<Readonly<Record<Name, readonly Result[]>>> {
  const names = Object.keys(contestants) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) results[name].push(await contestants[name]());
  }
  return results;
}

/** Runs one thing so many times, one after another. */
export async function repeated<Result>(
  rounds: number,
  run: () => Promise<Result>,
): Promise<readonly Result[]> {
  return (await interleaved(rounds, { run })).run;
}

export const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
