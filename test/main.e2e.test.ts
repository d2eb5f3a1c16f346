import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from 'vitest';

import { owned } from './support/children.ts';
import { startCommand } from './support/command-line.ts';

test('a reader that goes away does not change how a command ends, of either output', async () => {
  for (const output of ['stdout', 'stderr'] as const) {
    const running = startCommand(['status'], { DATABASE_URL: 'not a URL' });
    running.process[output]?.destroy();
    expect(await running.outcome).toMatchObject({ code: 2, signal: null });
  }
});

test('a supervisor that ends npm ends what npm runs', async () => {
  const args = ['run', '--silent', 'order-sync', '--', 'simulate', '--orders', '1', '--port', '0', '--json'];
  const npm = owned(spawn('npm', args, { stdio: ['ignore', 'pipe', 'ignore'] }));
  // Whoever holds the pipe still lives.
  const ended = once(npm, 'close');
  await once(npm.stdout ?? npm, 'data');
  npm.kill('SIGTERM');
  await expect(ended).resolves.toBeDefined();
});
