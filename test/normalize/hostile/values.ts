/** What no shop should send in a field, and some do. */
import { type JsonValue, parseJson } from '../../../src/model/json.ts';

const lines = (...texts: readonly string[]) => texts.flatMap((text) => text.split(' | '));

const TIMES = lines(
  'now | today | tomorrow | yesterday | epoch | infinity | -infinity | allballs | 0000-00-00 00:00:00 | 00.00.0000',
  '29.02.2024 | 29.02.2025 | 29.02.1900 | 2025-02-30 10:00:00 | 01.13.2025 | 2025-13-01 | 00.01.2025 | 0000-01-01',
  '9999-12-31 | 10000-01-01 | 2025-01-01 BC | 44-03-15 BC | -0044-03-15 | 2025-01-01 24:00:00 | 2025-01-01 23:60',
  '2016-12-31 23:59:60 | 24:00 | 23:60 | 23:59:60 | 25:61 | 10:30 | 9:05 | 2025-01-01T10:00:00Z | 1738555506 | J2451187',
  '0000-00-00 hello | 0000-00-00 24:00 | 03.02.2025 | 2025-02-03 04:05:06 | 03.02.2025\u00a010:00 | ０３.０２.２０２５',
);

const NUMBERS = lines(
  'NaN | Infinity | -Infinity | inf | 0x1F | 0b11 | 1e5 | 1E-5 | 1e400 | 1e999999999 | -0 | 0.005 | -0.005 | 1_000',
  '1,234.56 | 1.234,56 | 1\u00a0234,50 | 1\u202f234,50 | 1 234 | 1 2 | １２３ | ٣ | −5 | (5.00) | 5- | --5 | +5 | $5 | 5 €',
  '5 тыс. | 10% | -12,5 % | 1000% | ten % | % | 999999999999.99 | 999999999999.995 | 1000000000000 | 99999999999.999',
  '2147483647 | 2147483648 | -2147483649 | 9223372036854775807 | 9223372036854775808 | -9223372036854775808 | 1.5',
  `${'9'.repeat(40)} | ${'9'.repeat(400)} | 0.${'3'.repeat(40)} | ${'0'.repeat(300)}1 | 1${' '.repeat(300)} | . | , | -`,
);

const TEXTS = lines(
  '\0 | a\0b | \ud800 | \udc00\ud83d | \ufeff | \u202e | \u2028 | \u200b | ﷽ | 😀 | \\u0000 | \\ud800 | \x7f | \x1b[31m',
  `' OR 1=1 -- | $1 | %s | {{x}} | <script> | C:\\ | """ | null | undefined | true | __proto__ | constructor | ${'x'.repeat(65)}`,
  `${'ж'.repeat(3000)} | ${'😀'.repeat(300)} | ${'\0'.repeat(600)} | x${'😀'.repeat(600)} | [object Object] | 123_ | _a | 1_a_b | x_1`,
);

const MAPS = lines(
  'a:0:{} | N; | [] | {} | null | a:1:{s:4:"a";} | a:1:{s:9:"__proto__";a:1:{s:8:"polluted";i:1;}} | O:8:"stdClass":0:{}',
  'a:99999999:{} | s:999999999:"a"; | a:1:{i:0;R:1;} | a:1:{i:0;r:1;} | a:1:{i:0;C:1:"A":0:{}} | a:1:{s:3:"\0*\0";i:1;}',
  'a:2:{s:1:"a";i:1;s:1:"a";i:2;} | a:1:{s:11:"constructor";a:1:{s:9:"prototype";a:1:{s:8:"polluted";i:1;}}} | a:1:{i:0;d:NAN;}',
  '{"__proto__":{"polluted":1}} | {"constructor":{"prototype":{"polluted":1}},"a":1} | {"a":1e400} | {"a\\u0000":"\\ud800"}',
  '{"\\ud800":1,"\\udfff":2} | {"a":{"value":1,"name":[],"runame":{}}} | [1,[2,[3]]] | {"a":1,"a":9007199254740993} | {"a":',
  `${'a:1:{i:0;'.repeat(40)}N;${'}'.repeat(40)} | ${'['.repeat(5000)} | ${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
);

/** Written as JSON: long numbers keep their digits, and `__proto__` is an own key. */
const STRUCTURES = lines(
  '[] | {} | [[]] | [{}] | [null] | [1,"2",{"a":[true]}] | {"value":5} | {"a\\u0000":["\\u0000","\\ud800"]} | true | false | 0 | -0',
  '{"__proto__":{"polluted":1}} | {"constructor":{"prototype":{"polluted":1}}} | {"a":{"prototype":1,"__proto__\\u0000":2}}',
  '1e400 | 1e308 | 1e-320 | -1.5 | 0.1 | 0.30000000000000004 | 12345678901234567890 | 9223372036854775807 | 9223372036854775808',
  '9007199254740993 | 1e5 | 123456789012.345 | 100000000000 | 2147483648 | 7 | 1.005 | [12345678901234567890.5] | {"a":1e200}',
  '{"toString":1,"valueOf":null,"toJSON":"x"} | {"rawJSON":"1"} | {"length":5,"0":1} | {"hasOwnProperty":1,"value":{"then":1}}',
  '{"\\ud800":1,"\\udfff":2} | [{"path":"a\\u0000"},{"__proto__":1}] | {"email":["x"],"level":"1e9","images":{}}',
  `${'['.repeat(500)}${']'.repeat(500)} | ${'{"a":'.repeat(33)}1${'}'.repeat(33)} | ${'['.repeat(32)}${']'.repeat(32)}`,
).map((text) => parseJson(text));

export const HOSTILE_VALUES: readonly JsonValue[] = [...TIMES, ...NUMBERS, ...TEXTS, ...MAPS, ...STRUCTURES];
