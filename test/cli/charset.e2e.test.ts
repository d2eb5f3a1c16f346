import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { settingsFor } from '../support/command-line.ts';
import { freshDatabase } from '../support/database.ts';
import { runInProcess } from '../support/run-in-process.ts';

test('check says which charset to set, and what it found once set; refused groups do not matter', async () => {
  await using simulator = await startSimulator({
    orders: 10,
    days: 5,
    dialect: { charset: 'windows-1251-unlabelled' },
  });
  simulator.shop.refuse('groups');
  await using database = await freshDatabase();
  const env = settingsFor(simulator, database.url);
  const unset = await runInProcess(['check'], env);
  expect(unset.code).toBe(1);
  expect(unset.stderr).toMatch(/set SHOP_CHARSET.*such as windows-1251/);
  const set = await runInProcess(['check'], { ...env, SHOP_CHARSET: 'cp1251' });
  expect(set, set.stderr).toMatchObject({ code: 0 });
  expect(set.stdout).toMatch(/charset +windows-1251\n/);
  expect(set.stdout).toMatch(/groups +-\n/);
  simulator.shop.setDialect({ charset: 'windows-1251' });
  expect((await runInProcess(['check'], env)).stdout).toMatch(/charset +windows-1251\n/);
  const wrong = await runInProcess(['check'], { ...env, SHOP_CHARSET: 'win' });
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('SHOP_CHARSET must be a charset, such as windows-1251, koi8-r or utf-8');
});
