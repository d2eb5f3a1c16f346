import { execFileSync } from 'node:child_process';
import { access } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { until } from './until.ts';

test('a process that ends without disposing of a folder has it removed', async () => {
  const code = `
    import { openFolder } from './test/support/scratch-folder.ts';
    import { writeFile } from 'node:fs/promises';
    const { path } = await openFolder('left');
    await writeFile(path + '/data', 'of a test');
    process.stdout.write(path, () => process.exit(130));`;
  const ended = () =>
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  const path = /\/\S+/.exec(
    String(Object(await Promise.try(ended).catch((error: unknown) => error)).stdout),
  )?.[0];
  expect(path).toContain('order-sync-left-');
  await until('the folder is gone', () =>
    access(path ?? '').then(
      () => false,
      () => true,
    ),
  );
});
