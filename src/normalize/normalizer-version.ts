/**
 * Version of the normalizers. Raise it by one with every change of this folder that makes another row or another
 * rejection of any payload: `status` then asks for a replay of shops with records of an earlier version. A change that
 * gives the same rows, and one of `fingerprint`, which is no part of a row, need no other version. A test fails until it
 * is raised: test/normalize/golden.test.ts, where each version's rows are recorded.
 */
export const NORMALIZER_VERSION = 6;
