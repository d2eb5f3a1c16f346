/** Why there is no embedded PostgreSQL, in a sentence. */

/** The first one that matches counts. */
const KNOWN_REASONS: Readonly<Record<string, RegExp>> = {
  'the disk is full; free some space and try again': /No space left on device|ENOSPC|disk is full/,
  'its programs cannot run on this system; set DATABASE_URL to a PostgreSQL server instead':
    /spawn .+ (?:ENOENT|EACCES|ENOEXEC)|loading shared libraries|Library not loaded/,
  'this process may not run a program under another account; run order-sync as an ordinary user':
    /spawn .+ (?:EPERM|EINVAL)/,
  'its data folder was not made by order-sync; move it away to begin with a new one, or set DATABASE_URL':
    /ENOENT.+(?:pgpass|PG_VERSION)/,
  'this user may not write there; run order-sync as the user who made the folder, or in another folder':
    /EACCES|EPERM|EROFS|Permission denied|readonly database|unable to open database file/,
  'there is not enough memory; close something, or set DATABASE_URL':
    /Cannot allocate memory|could not map anonymous shared memory/,
};
const COMPLAINT = /(?:FATAL|PANIC|[Ee]rror):\s+(.+)$/gm;
/** initdb does not call every error one. */
const REMARK = /^initdb: (.+)$/m;

/** Turns the output of initdb or of the server into one sentence with a reason and the path of the log. */
export function explainFailure(output: string, log: string): string {
  const known = Object.entries(KNOWN_REASONS).find(([, pattern]) => pattern.test(output))?.[0];
  const complaint = [...output.matchAll(COMPLAINT)].at(-1)?.[1] ?? REMARK.exec(output)?.[1];
  const reason = known ?? complaint?.trim() ?? 'it gave no reason';
  return `The embedded PostgreSQL could not start: ${reason}. Its log: ${log}`;
}
