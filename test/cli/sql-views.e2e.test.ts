/** What `sql --views` says of the views. */
import { expect, test } from 'vitest';

import { jsonLines } from '../support/json-lines.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { fileWarehouse } from '../warehouse/test-warehouse.ts';

const warehouse = fileWarehouse();
const sql = (...options: readonly string[]) =>
  runInProcess(['sql', ...options], { DATABASE_URL: warehouse.url });
const views = (...options: readonly string[]) => sql('--views', ...options);

test('views are listed with a sentence for each view', async () => {
  const listed = await views();
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(
    /^view +about\n(?:.*\n)*bi[.]orders +One row per order, including cancelled, draft and deleted ones[.]\n/,
  );
  expect(listed.stdout).not.toContain('bi_pii');
  expect((await views('--pii')).stdout).toContain('bi_pii.users');
});

test('a view is shown with its columns', async () => {
  const described = await views('customers');
  expect(described).toMatchObject({ code: 0, stderr: '' });
  expect(described.stdout).toMatch(
    /^bi[.]customers\nOne row per shop and customer.*\n\ncolumn +type +about\n/,
  );
  expect(described.stdout).toMatch(/\nlifetime_revenue +numeric\S* +\S/);
  expect(await views('bi.Customers')).toEqual(described);
});

test('both have JSON documents', async () => {
  const all = jsonLines((await views('--json')).stdout);
  expect(all).toContainEqual(expect.objectContaining({ view: 'bi.customers' }));
  const one = await views('users', '--json', '--pii');
  expect(jsonLines(one.stdout)).toEqual([
    expect.objectContaining({
      view: 'bi_pii.users',
      columns: expect.arrayContaining([{ name: 'email', type: 'text', comment: expect.any(String) }]),
    }),
  ]);
  expect(await views('users', '--json')).toMatchObject({ code: 2 });
});

test('an unknown view is refused', async () => {
  const refused = async (...options: readonly string[]) => (await views(...options)).stderr;
  expect(await refused('ordrs')).toBe('There is no view ordrs; order-sync sql --views lists them all.\n');
  expect(await refused('users')).toBe('bi_pii.users holds personal data: --pii shows it.\n');
  expect((await sql()).stderr).toContain('order-sync sql --views lists what it can read');
});
