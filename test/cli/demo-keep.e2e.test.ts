import { expect, test } from 'vitest';

import { type Running, startCommand } from '../support/command-line.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { patienceMs } from '../support/patience.ts';
import { until } from '../support/until.ts';

test('a demo that is kept serves its page until Ctrl-C, and another one beside it does it no harm', async () => {
  await using folder = await openFolder('demos');
  const [kept, other] = [1, 2].map(() => startCommand(['demo', '--keep'], {}, folder.path));
  try {
    if (kept === undefined || other === undefined) throw new Error('not started');
    const keptText = textUntil(kept, 'export DATABASE_URL');
    const otherUrl = /Watch it at (\S+)/.exec(await textUntil(other, 'Watch it at'))?.[1] ?? '';
    await untilShown(`${otherUrl}shops/demo`, 'id="calendar-days"');
    other.process.kill('SIGINT');
    expect((await other.outcome).code).toBe(130);
    const text = await keptText;
    expect(text).toMatch(/demo +(\d+) +\1 +3012 +3012/);
    const url = /Status page +(http:\S+)/.exec(text)?.[1] ?? '';
    expect(url).not.toBe(otherUrl);
    await untilShown(url, '<a href="./shops/demo">demo</a>');
    await untilShown(`${url}shops/demo`, 'id="calendar-days"');
    kept.process.kill('SIGINT');
    expect((await kept.outcome).stdout).toContain(
      "Stopped: the shop, its sync and the status page. The demo's orders stay",
    );
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  } finally {
    for (const demo of [kept, other]) demo?.process.kill('SIGKILL');
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

async function untilShown(url: string, part: string): Promise<void> {
  const isShown = async () => (await (await fetch(url)).text()).includes(part);
  await until(`${url} shows ${part}`, isShown, patienceMs(), 100);
}
