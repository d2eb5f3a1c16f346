/** Tests of what a machine may lack: where it is missing they skip themselves, and the end of the run says why. */

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to another one
  interface TaskMeta {
    /** Why a test would be skipped. */
    missing?: string;
  }
}

/**
 * Options of a test or of a group of tests.
 *
 * @param reason what is missing, such as "promtool is not installed"
 */
export function needs(isThere: boolean, reason: string): { skip: boolean; meta: { missing: string } } {
  return { skip: !isThere, meta: { missing: reason } };
}
