/** The package as `npm publish` would send it, of the program that the tests have built. */
import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { z } from 'zod';

import { provided } from '../support/provided.ts';

const ROOT = join(import.meta.dirname, '../..');
const report = z.tuple([z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })]);

/** Runs npm with this Node.js. @returns what it printed on standard output */
export async function npm(args: readonly string[], cwd: string): Promise<string> {
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const { stdout } = await promisify(execFile)('npm', args, { cwd, env: { ...process.env, PATH } });
  return stdout;
}

/** @param folder for the tarball and what it is made of */
export async function packProgram(folder: string) {
  const checkout = join(folder, 'checkout');
  const others = ['README.md', 'CHANGELOG.md', 'LICENSE', 'package.json', 'docs', 'drizzle', 'src', 'test'];
  await mkdir(checkout);
  await Promise.all(others.map((name) => cp(join(ROOT, name), join(checkout, name), { recursive: true })));
  const isProgram = (path: string) => basename(path) !== 'compile-cache';
  await cp(provided('testProgram'), join(checkout, 'dist'), { recursive: true, filter: isProgram });
  await writeFile(join(checkout, 'order-sync.env'), 'SHOP_API_KEY=not for others\n');
  const stdout = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], checkout);
  const [{ filename, files }] = report.parse(JSON.parse(stdout));
  return { checkout, tarball: join(folder, filename), paths: files.map(({ path }) => path) };
}
