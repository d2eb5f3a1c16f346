import { expect, test } from 'vitest';

import { findStatements, isMadeOf } from './program-statements.ts';

const SOURCE = `
  await db.execute(sql\`
    UPDATE \${table} t SET \${name} = given.\${name}
    FROM \${recordset(columns, rows.map((row) => \`{\${row}}\`))}, core.orders
    WHERE t.name ~ '\\\\d'\`);
  const short = sql\`SELECT \${all}\`;
  const text = 'SELECT shop_id FROM core.shops ORDER BY 1';
`;

test('statements are found in the text of the program, without what is inserted into them', () => {
  expect(findStatements(SOURCE)).toEqual([
    ['UPDATE', 'tSET', '=given.', 'FROM', ",core.ordersWHEREt.name~'d'"],
    ['SELECTshop_idFROMcore.shopsORDERBY1'],
  ]);
});

test.each([
  ["UPDATEcore.userstSETaddress=given.addressFROMjson($1),core.ordersWHEREt.name~'d'", true],
  ["UPDATEcore.userstSETaddress=given.address,core.ordersWHEREt.name~'d'", false],
  ['UPDATEcore.userstSETaddress=given.addressFROMjson($1),core.orders', false],
])('%s is one of them: %s', (text, isOne) => {
  expect(isMadeOf(text, findStatements(SOURCE)[0] ?? [])).toBe(isOne);
});
