/** What a reader of `bi` can find of a thousand persons who filled in the order form. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { changeCode } from '../../src/warehouse/directory/owner-codes.ts';
import { readOwnerFields } from '../../src/warehouse/directory/owner-fields.ts';
import { orderPerson, orderToLoad } from '../support/rows.ts';
import { showFields } from '../support/show-fields.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { FRAGMENTS, type Person, PERSONS } from './persons.ts';

/** The form: what a person is asked, under keys and labels of which some hold personal data themselves. */
function fieldsOf(person: Person, at: number) {
  const value = (text: string, label = 'Поле') => ({ value: text, name: 'field', label });
  const { name, first, last, email, phone, address, born, wish } = person;
  const asked = [name, first, last, email, phone, address, born, wish];
  return {
    source: value(at % 2 === 0 ? 'Instagram' : 'Ads', 'Source'),
    ...Object.fromEntries(asked.map((text, index) => [`f${index}`, value(text)])),
    [name]: value('yes', phone),
    [`to ${last}`]: { value: address, name: email, label: wish },
  };
}

/** One of the texts, by every 25th person: some of each language. */
function typed(at: number, texts: readonly string[]): string | undefined {
  const text = at % 25 === 0 ? texts[(at / 25) % texts.length] : undefined;
  // A word of Latin letters looks like a code.
  return text !== undefined && /^[\w-]{1,16}$/.test(text) ? `for ${text}` : text;
}

test('a reader finds nothing of a thousand persons in any view, and still sees the choices', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  const orders = PERSONS.map((person, at) =>
    orderToLoad(String(at + 1), {
      row: {
        buyer_oid: '0',
        is_guest: true,
        customer_key: `g:${at}`,
        // Staff may type into these; the funnel compares every code with every path.
        status_code: typed(at, [person.name, person.phone, person.first, person.last]) ?? 'packed',
        pay_status_code: typed(at, [person.email, person.last]) ?? 'готов',
      },
      person: orderPerson({
        buyer_name: person.name,
        buyer_email: person.email,
        buyer_phone: person.phone,
        buyer_address: person.address,
        comment: person.wish,
        fields: fieldsOf(person, at),
        rest: { note: person.wish, user_unique_key: person.email },
      }),
    }),
  );
  for (let at = 0; at < orders.length; at += 100) {
    await warehouse.load(shopId, orders.slice(at, at + 100));
  }
  await showFields(warehouse.db, shopId, 'source');
  expect((await readOwnerFields(warehouse.db, shopId)).waiting).toBeGreaterThan(8);
  expect(await changeCode(warehouse.db, shopId, 'payment', 'готов', { name: 'готов' })).toBe('готов');

  const contacts = await readableTexts(warehouse, 'bi_pii');
  expect(FRAGMENTS.filter((text) => !contacts.includes(text) && !text.startsWith('.'))).toEqual([]);
  const texts = await readableTexts(warehouse, 'bi');
  expect(FRAGMENTS.filter((text) => texts.includes(text))).toEqual([]);
  for (const choice of ['Instagram', 'source', 'packed', 'готов', 'Courier']) expect(texts).toContain(choice);
});

/** All that the reader of a schema sees in its views, in one text. */
async function readableTexts(warehouse: TestWarehouse, schema: 'bi' | 'bi_pii'): Promise<string> {
  const views = await warehouse.rows(
    sql`SELECT format('%I.%I', schemaname, viewname) AS name FROM pg_views WHERE schemaname = ${schema}`,
  );
  expect(views.length).toBeGreaterThan(schema === 'bi' ? 15 : 1);
  return warehouse.write(async (tx) => {
    await tx.execute(sql.raw(`SET LOCAL ROLE ${schema}_reader`));
    const found: string[] = [];
    for (const { name } of views) {
      const { rows } = await tx.execute<{ text: string }>(
        sql`SELECT string_agg(v::text, E'\n') AS text FROM ${sql.raw(String(name))} v`,
      );
      found.push(rows[0]?.text ?? '');
    }
    return found.join('\n');
  });
}
