/** A one-line fault that the tests must notice. */
export type Fault = {
  /** What it breaks, where that is not plain. */
  readonly about?: string;
  /** The file to change, from the root of the project. */
  readonly file: string;
  /** Text that occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Path filters of the test files of which at least one must fail. */
  readonly tests: readonly string[];
};
