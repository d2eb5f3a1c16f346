import { expect, test } from 'vitest';

import { openShop } from '../support/shop-of-commands.ts';

test('check says which charset to set, and which one is in use after that, even if groups are refused', async () => {
  await using shop = await openShop({
    orders: 10,
    days: 5,
    dialect: { charset: 'windows-1251-unlabelled' },
  });
  shop.simulator.shop.refuse('groups');
  const unset = await shop.run('check');
  expect(unset.code).toBe(1);
  expect(unset.stderr).toMatch(/set SHOP_CHARSET.*such as windows-1251/);
  const set = await shop.run('check', { SHOP_CHARSET: 'cp1251' });
  expect(set, set.stderr).toMatchObject({ code: 0 });
  expect(set.stdout).toMatch(/Charset +windows-1251\n/);
  expect(set.stdout).toMatch(/Groups +they could not be read\n/);
  shop.simulator.shop.setDialect({ charset: 'windows-1251' });
  expect((await shop.run('check')).stdout).toMatch(/Charset +windows-1251\n/);
});
