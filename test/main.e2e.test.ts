import { expect, test } from 'vitest';

import { startCommand } from './support/command-line.ts';

test('a reader that goes away does not change how a command ends, of either output', async () => {
  for (const output of ['stdout', 'stderr'] as const) {
    const running = startCommand(['status'], { DATABASE_URL: 'not a URL' });
    running.process[output]?.destroy();
    expect(await running.outcome).toMatchObject({ code: 2, signal: null });
  }
});
