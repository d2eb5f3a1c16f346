/** Says at the end of a run which tests were skipped and why: what a machine lacks must not look like a promise kept. */
import type { Reporter, TestModule, Vitest } from 'vitest/node';

import './needs.ts';

export class SkippedTests implements Reporter {
  readonly #print: (line: string) => void;
  #isFiltered = false;

  constructor(print: (line: string) => void = (line) => void process.stdout.write(`${line}\n`)) {
    this.#print = print;
  }

  onInit({ config }: Pick<Vitest, 'config'>): void {
    this.#isFiltered = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const line of describeSkipped(modules, this.#isFiltered)) this.#print(line);
  }
}

/**
 * One line for each reason.
 *
 * @param isFiltered only tests of some names were asked for, which skips the others without a reason
 */
function describeSkipped(modules: readonly TestModule[], isFiltered: boolean): readonly string[] {
  const filesOf = new Map<string, string[]>();
  for (const testModule of modules) {
    for (const test of testModule.children.allTests('skipped')) {
      const result = test.result();
      const note = result.state === 'skipped' ? result.note : undefined;
      const reason = note ?? test.meta().missing ?? 'no reason given';
      if (isFiltered && note === undefined) continue;
      filesOf.set(reason, [...(filesOf.get(reason) ?? []), testModule.relativeModuleId]);
    }
  }
  return [...filesOf].map(
    ([reason, files]) =>
      `skipped: ${files.length} ${files.length === 1 ? 'test' : 'tests'}: ${reason}: ${[...new Set(files)].join(', ')}`,
  );
}
