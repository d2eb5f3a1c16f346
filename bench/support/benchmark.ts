/** What every benchmark is: a section of docs/benchmarks.md, and the measuring that fills its table. */

export type BenchOptions = {
  /** Orders of the shop, where the benchmark's own sizes are not wanted. */
  readonly orders: readonly number[] | undefined;
  readonly rounds: number | undefined;
  /** How long a benchmark watches that watches something go on. */
  readonly seconds: number | undefined;
  /** Sizes that take hours, too. */
  readonly isLong: boolean;
};

export type Findings = {
  readonly rows: readonly (readonly string[])[];
  /** Paragraphs below the table: what only the run could tell. */
  readonly notes?: readonly string[];
  /** Goals that were missed by so much that the command fails: a sentence each. */
  readonly failures?: readonly string[];
};

export type Bench = {
  readonly title: (options: BenchOptions) => string;
  /** What is measured, how, and which limit or goal it is held against. */
  readonly intro: (options: BenchOptions) => string;
  readonly columns: readonly string[];
  readonly run: (options: BenchOptions) => Promise<Findings>;
};

export const sizesOr = ({ orders }: BenchOptions, usual: readonly number[]) => orders ?? usual;
export const sizeOr = ({ orders }: BenchOptions, usual: number) => orders?.[0] ?? usual;
export const roundsOr = ({ rounds }: BenchOptions, usual: number) => rounds ?? usual;
