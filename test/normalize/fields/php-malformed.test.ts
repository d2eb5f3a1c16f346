/** Serialized text that no `serialize()` of scalars and arrays wrote: each kind of mistake, and never a guess. */
import { expect, test } from 'vitest';

import { parseFields } from '../../../src/normalize/parse-fields.ts';
import { expectAtOnce } from '../hostile/at-once.ts';

const LEVELS = 33;

/** The mistake, and texts that make it, with a bar between them. */
const MALFORMED: readonly [mistake: string, texts: string][] = [
  ['no text at all', '| \0'],
  ['another format', 'hello | <b>a</b> | a=1&b=2 | YToxOnt9 | a;1:{} | (array) | --- a: 1 | x:1;'],
  ['cut off in an entry', 'a:1:{s:1:"a";i:1; | a:1:{s:1:"a'],
  ['something behind the end', 'a:0:{}} | a:0:{}; | a:0:{}a:0:{} | i:1;i:2; | a:1:{i:0;N;}\0'],
  ['a type of another case', 'A:0:{} | I:1; | n; | B:1; | D:1.5;'],
  [
    'fewer entries than counted',
    'a:1:{} | a:2:{i:0;N;} | a:99999999:{} | a:9999999:{i:0;N;} | a:18446744073709551616:{}',
  ],
  ['more entries than counted', 'a:0:{i:0;N;} | a:1:{i:0;N;i:1;N;}'],
  [
    'a count that is none',
    'a:-1:{} | a:+0:{} | a:00:{} | a:0x0:{} | a:1e0:{i:0;N;} | a:0.0:{} | a::{} | a: 0:{} | a:٠:{}',
  ],
  ['an array in other brackets', 'a:0:[] | a:0:() | a:0{} | a:0:'],
  ['a key without a value', 'a:1:{i:0;} | a:1:{s:1:"a";}'],
  [
    'a key that is neither a number nor a text',
    'a:1:{N;N;} | a:1:{b:1;N;} | a:1:{d:1.5;N;} | a:1:{a:0:{}N;}',
  ],
  [
    'a text longer than what follows',
    's:5:"abc"; | a:1:{i:0;s:9:"abc";} | s:9999999:"a"; | s:999999999:"a"; | s:99999999999:"a";',
  ],
  ['a text shorter than what follows', 's:2:"abc"; | s:0:"a"; | a:1:{s:0:"a";N;}'],
  [
    'a length that is none',
    's:-1:""; | s:+1:"a"; | s:01:"a"; | s:1e0:"a"; | s:0x1:"a"; | s: 1:"a"; | s:1.0:"a"; | s::"";',
  ],
  ['a length that would cut a character in two', 's:1:"жж"; | a:1:{i:0;s:3:"жж";}'],
  ['a text without its quotes', `s:3:abc; | s:3:'abc'; | s:3:"abc'; | s:1:"a" ; | s:3"abc";`],
  [
    'a whole number that is none',
    'i:; | i:1.5; | i:0x1F; | i:01; | i:+1; | i:-0; | i: 1; | i:1 ; | i:1e3; | i:１; | i:--1;',
  ],
  ['a number without an end', `i:${'9'.repeat(60)}; | d:0.${'3'.repeat(60)}; | i:1`],
  [
    'a fraction that is none',
    'd:INF; | d:-INF; | d:NAN; | d:1.; | d:.5; | d:1,5; | d:; | d:1e; | d:0x1p3; | d:1.5.5;',
  ],
  ['a boolean that is none', 'b:2; | b:-1; | b:true; | b:; | b:01; | b:"1";'],
  ['a null with something in it', 'N:; | N | N:0; | N ;'],
  ['an object', 'O:8:"stdClass":0:{} | O:+8:"stdClass":0:{} | a:1:{i:0;O:1:"A":1:{s:1:"a";i:1;}}'],
  [
    'an object in a format of its own, or an enumeration',
    'C:1:"A":2:{ab} | a:1:{i:0;C:11:"ArrayObject":0:{}} | E:3:"A:B";',
  ],
  ['a reference', 'R:1; | r:1; | a:2:{i:0;i:1;i:1;R:2;} | a:2:{i:0;a:0:{}i:1;r:2;}'],
  ['a text of the time when PHP was to know Unicode', 'S:1:"a"; | U:1:"a"; | S:1:"\\61";'],
  ['more than 32 levels', `${'a:1:{i:0;'.repeat(LEVELS)}N;${'}'.repeat(LEVELS)}`],
  ['levels without an end', 'a:1:{i:0;'.repeat(100_000)],
];

test.each(MALFORMED)('%s: named with a reason, and what comes before it is kept', (_mistake, list) => {
  for (const text of list.split(' | ')) {
    expect(parseFields(text).problems, text).not.toEqual([]);
    if (text.trim() === '') continue;
    const { value, problems } = parseFields(`a:3:{s:1:"x";i:1;s:1:"y";${text}s:1:"z";i:2;}`);
    expect(value, text).toMatchObject({ x: { value: 1 } });
    expect(problems, text).not.toEqual([]);
  }
});

/** A value that cannot be read, and why. */
const LEFT_OUT: readonly [texts: string, reason: string][] = [
  [
    'd:INF; | d:-INF; | d:NAN; | i:1.5; | i:x; | d:0x1p3; | b:2; | b:true; | a:1:{s:1:"x";d:NAN;}',
    'a number that is infinite, or that cannot be read',
  ],
  [
    'R:1; | r:2; | O:8:"stdClass":0:{} | O:1:"A":1:{s:1:"z";i:1;} | E:3:"A:B"; | a:2:{i:0;a:1:{i:0;r:1;}i:1;i:1;}',
    'an object, or a reference to another value',
  ],
  [
    's:2:"abc"; | s:5:"abc"; | s:0:"a"; | s:3:"a"b"c"; | s:1:"a\r\nb"; | s:1:"жж"; | s:9999999:"a";',
    'a text of another length than it says',
  ],
  ['a:2:{i:0;N;} | a:0:{i:0;N;}', 'another number of entries than it says'],
  ['a:1:{N;N;} | a:1:{b:1;N;}', 'a key that is neither a number nor a text'],
  [`${'a:1:{i:0;'.repeat(LEVELS)}s:1:"}";${'}'.repeat(LEVELS)}`, 'nested deeper than 32 levels'],
];

test.each(LEFT_OUT)('%s affects only its entry: %s', (list, reason) => {
  for (const text of list.split(' | ')) {
    const described = (part: string) => `a:2:{s:5:"value";${part}s:4:"name";s:1:"n";}`;
    for (const odd of text.startsWith('a:1:{i:0;') ? [text] : [text, described(text)]) {
      expect(parseFields(`a:3:{s:1:"x";i:1;s:1:"y";${odd}s:1:"z";s:2:"zz";}`), odd).toEqual({
        value: { x: { value: 1, name: null, label: null }, z: { value: 'zz', name: null, label: null } },
        problems: [`entry 2 was left out: ${reason}`],
      });
    }
  }
});

test('a megabyte of anything is refused or read at once', () => {
  const million = 1024 * 1024 - 100;
  const bombs = ['a:1:{i:0;', 's:1:"a";', 'i:0;', '"', 's:', '9', '[', '{"a":', 'ж', '\0'].map((piece) =>
    piece.repeat(million / Buffer.byteLength(piece)),
  );
  const counted = `a:150000:{${Array.from({ length: 100_000 }, (_, at) => `i:${at};`).join('')}`;
  const zeros = `{"a":1.${'0'.repeat(million)}1}`;
  for (const text of [...bombs, counted, zeros]) {
    let problems: readonly string[] = [];
    expectAtOnce(() => ({ problems } = parseFields(text)));
    expect(problems).toHaveLength(text === zeros ? 0 : 1);
  }
  expect(parseFields(`a:1:{s:1:"a";s:${million}:"${'x'.repeat(million)}";}`).value).not.toBeNull();
  expect(parseFields(`{"a":"${'x'.repeat(1_048_568)}"}`).problems, '1 MiB').toEqual([]);
  expect(parseFields(`a:1:{s:1:"a";s:1048576:"${'x'.repeat(1_048_576)}";}`).problems).toEqual([
    'fields longer than 1 MiB',
  ]);
});
