import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { dumpTables } from '../../../support/dump.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { openFolder } from '../../../support/scratch-folder.ts';
import { openForgetLab, tracesIn } from '../../../sync/forget/forget-lab.ts';

test('forget reports what it would erase and what it erased, without repeating personal data', async () => {
  const { client, person, url } = await openForgetLab();
  const env = { DATABASE_URL: url, PII_SECRET: 'test', LOG_LEVEL: 'trace' };
  const args = ['forget', '--shop', 'test', '--user-id', person.userOid];
  const preview = await runInProcess([...args, '--dry-run'], env);
  expect(preview).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /: 1 account and \d+ identifiers? would be erased, .*; nothing was written/,
    ),
  });
  expect(tracesIn(await dumpTables(client), person.traces)).toEqual(person.traces);
  const anywhere = await runInProcess(['forget', '--user-id', person.userOid], env);
  expect(anywhere).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--user-id needs --shop KEY'),
  });
  expect(tracesIn(await dumpTables(client), person.traces)).toEqual(person.traces);
  const nobody = await runInProcess(
    ['forget', '--shop', 'test', '--email', 'nobody@x.example', '--dry-run'],
    env,
  );
  expect(nobody.stdout).toMatch(
    /: nobody was found; 1 identifier would be remembered as a keyed hash, .*; nothing was/,
  );

  const done = await runInProcess(args, env);
  expect(done).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/: 1 account and .* erased, and remembered/),
  });
  expect(done.stdout).toMatch(new RegExp(`^ +orders of the person +${person.orders.length}$`, 'm'));
  expect(done.stdout).toMatch(/^ +records of others that mention the person +1$/m);
  expect(tracesIn(await dumpTables(client), person.traces)).toEqual([]);

  // The secret of the shop's own settings, by which the person is remembered.
  await using folder = await openFolder('forget');
  const file = join(folder.path, 'shops.yaml');
  const own = ['key: test', 'url: https://shop.example', 'login: a', 'apiKey: b', 'timezone: Europe/Berlin'];
  await writeFile(file, `shops:\n  - ${[...own, 'piiSecret: test'].join('\n    ')}\n`);
  const settings = { DATABASE_URL: url, SHOPS_FILE: file };
  const again = await runInProcess(['forget', '--shop', 'test', '--phone', person.phone, '--json'], settings);
  expect(JSON.parse(again.stdout)).toMatchObject({
    shop: 'test',
    dry_run: false,
    accounts: 0,
    // With and without the country code.
    identifiers: 5,
  });
  const printed = [preview, done, again].flatMap(({ stdout, stderr }) => [stdout, stderr]).join('\n');
  expect(tracesIn(printed, person.traces)).toEqual([]);
});

test.for([
  [[], 'exactly one of --email, --phone and --user-id'],
  [['--email', 'a@b.example', '--phone', '+7 916 555-12-34'], 'exactly one of'],
  [['--email', 'nobody'], '--email is not an e-mail address'],
  [['--phone', '123'], '--phone is not a phone number'],
  [['--user-id', '6'], 'the account that all guests share'],
  [['--user-id', 'ivan'], '--user-id is not the number'],
  [['--user-id', '0'], '--user-id is not the number'],
  [['--user-id=-5'], '--user-id is not the number'],
] as const)('forget %j is refused', async ([args, complaint]) => {
  const { code, stderr } = await runInProcess(['forget', ...args], {});
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(complaint) });
});
