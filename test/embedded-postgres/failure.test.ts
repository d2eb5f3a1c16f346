import { expect, test } from 'vitest';

import { explainFailure } from '../../src/embedded-postgres/refusals.ts';

test.each([
  [
    'PANIC:  could not write to file "pg_wal/xlogtemp.31": No space left on device',
    'the disk is full; free some space and try again',
  ],
  ['spawn /opt/native/bin/initdb ENOENT', 'its programs cannot run on this system; set DATABASE_URL'],
  ['error while loading shared libraries: libpq.so.5: cannot open', 'its programs cannot run on this system'],
  ['spawn /opt/native/bin/initdb EPERM', 'this process may not run a program under another account'],
  ["EACCES: permission denied, open '/srv/.order-sync/server.log'", 'this user may not write there'],
  [
    "ENOENT: no such file or directory, open '/srv/postgres/pgpass'",
    'its data folder was not made by order-sync; move it away',
  ],
  ['unable to open database file', 'this user may not write there'],
  ['LOG:  starting\nFATAL:  first\nFATAL:  the last complaint', 'the last complaint'],
  ['initdb: error: it is not empty\ninitdb: removing contents', 'it is not empty'],
  [
    'initdb: could not look up effective user ID 12345: user does not exist',
    'could not look up effective user',
  ],
  ['', 'it gave no reason'],
])('%j is explained', (output, reason) => {
  const sentence = explainFailure(output, '/srv/server.log');
  expect(sentence).toContain(`could not start: ${reason}`);
  expect(sentence).toContain('/srv/server.log');
});
