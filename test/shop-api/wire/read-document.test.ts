import { expect, test } from 'vitest';

import { readDocument } from '../../../src/shop-api/wire/read-document.ts';

const DOCUMENT = '{"orders":[{"order_id":12345678901234567890}],"total":1}';
const HTML_NOTICE =
  '<br />\n<b>Notice</b>:  Undefined index: a[1] in {closure}() in <b>/srv/a.php</b> on line <b>12</b><br />\n';
const XDEBUG =
  "<font size='1'><table class='xdebug-error xe-notice'><tr><td>{main}( [</td></tr></table></font>\n";

test.each([
  ['byte order marks', '\uFEFF\uFEFF\uFEFF', '', /^3 characters before it \(NUL bytes/],
  ['blank lines', '\r\n\n \n', '\n', undefined],
  ['a notice in HTML', HTML_NOTICE, '', /^\d+ characters before it \(messages of PHP\)$/],
  ['several, and blank lines', `\n${HTML_NOTICE}\n${HTML_NOTICE}`, '\n', /before it \(messages of PHP\)/],
  ['a plain notice', '\nDeprecated: f() is [old] in /a.php on line 5\n', '', /\(messages of PHP\)$/],
  ['a warning of the command line', 'PHP Warning:  x in /a on line 3\n', '', /\(messages of PHP\)$/],
  [
    'one with its time',
    '[28-Nov-2026 10:00:00 UTC] PHP Notice:  x in /a on line 3\n',
    '',
    /\(messages of PHP\)$/,
  ],
  ['a table of Xdebug', XDEBUG, '', /\(messages of PHP\)$/],
  ['a stray character before', '1', '', '1 character before it (text)'],
  ['a stray character after', '', ';', '1 character after it (text)'],
  ['a bracket too many', '', '}', '1 character after it (text)'],
  ['NUL bytes', '\0', '\0\0\0', /^1 character before it \(NUL bytes.*3 characters after it \(NUL bytes/],
  ["a profiler's comment", '', '\n<!-- 0.1 s {"a":1} -->\n', /^\d+ characters after it \(a comment\)$/],
  ["a profiler's script", '', '<script>var a = {"b":1}</script>', '32 characters after it (HTML)'],
  ['a notice after', '', HTML_NOTICE, /^\d+ characters after it \(messages of PHP\)$/],
  ['a line of text', 'Connected to the database', '', '25 characters before it (text)'],
  ['a callback', 'callback(', ');', '9 characters before it (text), 2 characters after it (text)'],
  ['lists of times', '', '\nTime: 0.1 s [2 MB]', /^19 characters after it \(text\)$/],
])('the document is read beside %s', (_what, before, after, beside) => {
  const read = readDocument(before + DOCUMENT + after);
  expect(JSON.stringify(read.value)).toBe(DOCUMENT);
  if (beside instanceof RegExp) expect(read.beside).toMatch(beside);
  else expect(read.beside).toBe(beside);
});

test.each([
  ['a trailing comma', '[{"a":1,},{"b":[2, ],}]', '[{"a":1},{"b":[2]}]'],
  ['control characters inside a string', '{"a":"1\t2\n3\u00014\0"}', '{"a":"1\\t2\\n3\\u00014\\u0000"}'],
  ['control characters between values', '{\0"a"\v:\u0001 1}', '{"a":1}'],
  ['what is no number', '{"a":[NaN,-Infinity,INF,-nan]}', '{"a":["NaN","-Infinity","INF","-nan"]}'],
  ['many digits', '[{"a":12345678901234567890},]', '[{"a":12345678901234567890}]'],
])('%s is repaired', (_what, text, json) => {
  expect(JSON.stringify(readDocument(text).value)).toBe(json);
});

test.each([
  ['truncated', DOCUMENT.slice(0, -5)],
  ['truncated behind a notice', HTML_NOTICE + DOCUMENT.slice(0, -5)],
  ['a part of a broken one', `{"orders":[{"a":1 "b":2},${DOCUMENT}]}`],
  ['a page', `<!DOCTYPE html><html><body>${DOCUMENT}</body></html>`],
  ['a page with a script', `<html><script type="application/ld+json">${DOCUMENT}</script></html>`],
  ['a part of a page', `<div>${DOCUMENT}</div>`],
  ['a page behind a notice', `${HTML_NOTICE}<html>${DOCUMENT}`],
  ['a heading', `<h1>Error</h1>${DOCUMENT}`],
  ['in front of a page', `[]<html>${DOCUMENT}</html>`],
  ['two documents', DOCUMENT + DOCUMENT],
  ['two documents with a notice between', DOCUMENT + HTML_NOTICE + DOCUMENT],
  ['two documents in a row', `${DOCUMENT},${DOCUMENT}`],
  ['one that closes too early', '{"orders":[]},"total":3}'],
  ['a list in a sentence', 'Error: []'],
  ['a number in a sentence', 'Error [500]'],
  ['an empty object in a sentence', 'Error: {}'],
  ['a quoted one', `"${DOCUMENT}`],
  ['a long text', `${'word '.repeat(500)}${DOCUMENT}`],
  ['nothing but a notice', HTML_NOTICE],
])('%s is no document', (_what, text) => {
  expect(() => readDocument(text)).toThrow(SyntaxError);
});

test.each([
  '<!--',
  'Notice: ',
  'Notice: \n',
  '/*\n',
  '[',
  '{"a":',
  '<br>',
  '\0',
  '"',
  '<table class="xdebug-error" ',
])(
  'a long body of nothing but %j ends soon',
  (part) => {
    expect(() => readDocument(part.repeat(100_000))).toThrow(SyntaxError);
  },
  20_000,
);
