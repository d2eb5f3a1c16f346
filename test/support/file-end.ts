/** What the tests of a file share, until the last of them has ended. */
const closings: (() => Promise<void>)[] = [];

/** Closes something after the last test of the file that runs. */
export function atFileEnd(close: () => Promise<void>): void {
  closings.push(close);
}

export async function endFile(): Promise<void> {
  for (const close of closings.splice(0).toReversed()) await close();
}
