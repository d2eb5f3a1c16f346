/** Why PostgreSQL did not start, in a sentence. */

const KNOWN_REASONS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/No space left on device|ENOSPC|disk is full/, 'the disk is full; free some space and try again'],
  [
    /spawn .+ (?:ENOENT|EACCES|ENOEXEC)|loading shared libraries|Library not loaded/,
    'its programs cannot run on this system; set DATABASE_URL to a PostgreSQL server instead',
  ],
  [
    /spawn .+ (?:EPERM|EINVAL)/,
    'this process may not run a program under another account; run order-sync as an ordinary user',
  ],
  [
    /EACCES|EPERM|EROFS|readonly database/,
    'this user may not write there; run order-sync as the user who made the folder, or in another folder',
  ],
  [
    /Cannot allocate memory|could not map anonymous shared memory/,
    'there is not enough memory; close something, or set DATABASE_URL',
  ],
];
const COMPLAINT = /(?:FATAL|PANIC|[Ee]rror):\s+(.+)$/gm;
/** initdb does not call every error one. */
const REMARK = /^initdb: (.+)$/m;

/** Turns the output of initdb or of the server into one sentence with a reason and the path of the log. */
export function explainFailure(doing: string, output: string, log: string): string {
  const known = KNOWN_REASONS.find(([pattern]) => pattern.test(output))?.[1];
  const complaint = [...output.matchAll(COMPLAINT)].at(-1)?.[1] ?? REMARK.exec(output)?.[1];
  const reason = known ?? complaint?.trim() ?? 'it gave no reason';
  return `The embedded PostgreSQL could not ${doing}: ${reason}. Its log: ${log}`;
}
