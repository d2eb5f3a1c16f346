import { expect, test } from 'vitest';

import { complaintIn } from '../../src/embedded-postgres/open-embedded.ts';

test.each([
  [
    'PANIC:  could not write to file "pg_wal/xlogtemp.31": No space left on device',
    'could not write to file "pg_wal/xlogtemp.31": No space left on device',
  ],
  ['LOG:  starting\nFATAL:  first\nFATAL:  the last complaint', 'the last complaint'],
  ['initdb: error: it is not empty\ninitdb: removing contents', 'it is not empty'],
  ['spawn /opt/native/bin/initdb ENOENT', 'spawn /opt/native/bin/initdb ENOENT'],
  [
    'initdb: could not look up effective user ID 12345: user does not exist\n',
    'initdb: could not look up effective user ID 12345: user does not exist',
  ],
  ['', 'it gave no reason'],
])('the last error line of %j is reported', (output, complaint) => {
  expect(complaintIn(output)).toBe(complaint);
});
