import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { parseJson } from '../../../src/model/json.ts';
import { repairJson } from '../../../src/shop-api/wire/repair-json.ts';

const repaired = (text: string) => repairJson(text, 0).json;

test.each([
  ['a trailing comma', '[{"a":1,},2,]', '[{"a":1},2]'],
  ['commas too many, and an element that is missing', '[,{,"a":1,,"b":2},,3]', '[null,{"a":1,"b":2},null,3]'],
  ['a value that is missing', '{"a":,"b":}', '{"a":null,"b":null}'],
  ['control characters inside a string', '{"a":"1\t2\n3\u00014\0"}', '{"a":"1\\t2\\n3\\u00014\\u0000"}'],
  ['control characters between values', '{\0"a"\v:\u0001 1}', '{"a":1}'],
  ['escapes that JSON does not know', '["C:\\dir", "it\\\'s", "\\u12"]', '["C:\\\\dir","it\'s","\\\\u12"]'],
  ['what is no number', '[NaN,-Infinity,INF,-nan,1.#QNAN]', '["NaN","-Infinity","INF","-nan","1.#QNAN"]'],
  ['literals of other languages', '[True,FALSE,None,undefined]', '[true,false,null,null]'],
  ['numbers of other languages', '[+1,.5,5.,007,-0.10,00]', '[1,0.5,5,7,-0.10,0]'],
  ['decimal commas', '{"a":1234,50,"b":-0,5}', '{"a":1234.50,"b":-0.5}'],
  ['other quotation marks', "{'a':'say \"b\"',c:1}", '{"a":"say \\"b\\"","c":1}'],
  [
    'many digits',
    '[12345678901234567890,0.30000000000000004,]',
    '[12345678901234567890,0.30000000000000004]',
  ],
])('%s', (_what, text, json) => {
  expect(repaired(text)).toBe(json);
  expect(() => parseJson(json)).not.toThrow();
});

test.each([
  ['', 'nothing'],
  ['{"a":1', 'truncated after a value'],
  ['{"a', 'truncated in a string'],
  ['[{"a":1},', 'truncated after a comma'],
  ['{"a":"b\\', 'truncated in an escape'],
  ['{"a" 1}', 'no colon'],
  ['{"a":1 "b":2}', 'no comma'],
  ['[1 2]', 'no comma in a list'],
  ['{"a":"b" c"}', 'a quotation mark inside a string'],
  ['{"a":1]', 'the other bracket'],
  ['{"a"}', 'no value'],
  ['{"a":-}', 'a sign alone'],
  ['{"a":b}', 'a word'],
  ['"a"', 'no object or list'],
])('%j is refused: %s', (text) => {
  expect(() => repaired(text)).toThrow(SyntaxError);
});

test('proper JSON stays what it is, and no beginning of it is taken for the whole', () => {
  const document = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
  fc.assert(
    fc.property(document, fc.nat(), (value, cut) => {
      const text = JSON.stringify(value);
      expect(repairJson(text, 0)).toEqual({ json: text, end: text.length });
      expect(() => repaired(text.slice(0, cut % text.length))).toThrow(SyntaxError);
    }),
  );
});
