import { chmod, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { runInProcess } from '../support/run-in-process.ts';

test('a broken line of the settings file is reported without its content, and an exposed file once', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'order-sync-file-'));
  const path = join(folder.path, 'shop.env');
  await writeFile(path, "SHOP_API_KEY='canary'\nSHOP_URL http://secret.example\n");
  await chmod(path, 0o644);
  const run = () => runInProcess(['check'], { ORDER_SYNC_CONFIG: path });
  const exposed = await run();
  expect(exposed).toMatchObject({ code: 2, stdout: '' });
  expect(exposed.stderr).toContain(`${path} line 2 is not NAME=value\n`);
  expect(exposed.stderr.match(/Warning: others can read \S+, which holds secrets; chmod 600/g)).toHaveLength(
    1,
  );
  expect(exposed.stderr).not.toMatch(/canary|secret\.example/);
  await chmod(path, 0o600);
  expect((await run()).stderr).not.toContain('Warning');
});
