import { rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { type Running, startCommand } from '../support/command-line.ts';

test('two demos that are kept run beside each other, each with its own page, until Ctrl-C', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'order-sync-demos-'));
  const demos = [1, 2].map(() => startCommand(['demo', '--keep'], {}, directory));
  try {
    const texts = await Promise.all(demos.map((demo) => textUntil(demo, 'export DATABASE_URL')));
    const found = texts.map((text) => [
      /Status page +(http:\S+)/.exec(text)?.[1] ?? '',
      /psql (\S+)/.exec(text)?.[1] ?? '',
    ]);
    expect(new Set(found.flat()).size).toBe(4);
    for (const text of texts) expect(text).toMatch(/demo +(\d+) +\1 +3012 +3012/);
    for (const [url = ''] of found) {
      expect(await (await fetch(url)).text()).toContain('<a href="./shops/demo">demo</a>');
      expect(await (await fetch(`${url}shops/demo`)).text()).toContain('<td class="number">3,0');
    }
    for (const { process: child } of demos) child.kill('SIGINT');
    for (const { stdout } of await Promise.all(demos.map(({ outcome }) => outcome))) {
      expect(stdout).toContain("Stopped: the shop, its sync and the status page. The demo's orders stay");
    }
    for (const [url = ''] of found) await expect(fetch(url)).rejects.toThrow('fetch failed');
  } finally {
    for (const { process: child } of demos) child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  }
});

async function textUntil({ process: child, outcome }: Running, end: string): Promise<string> {
  const written = Promise.withResolvers<string>();
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.includes(end)) written.resolve(text);
  });
  const early = outcome.then(({ stderr }) => Promise.reject(new Error(`it ended early: ${stderr}`)));
  early.catch(() => undefined);
  return Promise.race([written.promise, early]);
}
