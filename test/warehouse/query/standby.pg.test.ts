import { expect, test } from 'vitest';

import { becomeReader } from '../../../src/warehouse/query/reader-function.ts';
import { withClient } from '../../support/database-clients.ts';
import { provided } from '../../support/provided.ts';

test('a server that takes no function, as a read replica does not, is told of with what to use instead', async () => {
  await withClient(provided('testDatabases').serverUrl, async (client) => {
    await client.query('BEGIN READ ONLY');
    await expect(becomeReader(client, 'bi_reader')).rejects.toThrow(
      /read replica.*psql as a login that reads bi/,
    );
  });
});
