/** What everybody on the machine can read of our processes, and what an engine tells of our containers. */
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { startSimulator } from '../../../src/simulator/server.ts';
import { startCommand } from '../../support/command-line.ts';
import { freshDatabase } from '../../support/database.ts';
import { needs } from '../../support/needs.ts';
import { findCanaries, SECRETS } from './canary.ts';
import { openFolder } from '../../support/scratch-folder.ts';
import { stop } from '../../support/kill.ts';
import { within } from '../../support/until.ts';

/** The arguments of every process of this machine. */
async function listProcesses(): Promise<readonly string[]> {
  const files = await Array.fromAsync(glob('/proc/[0-9]*/cmdline'));
  const lines = await Promise.all(files.map(async (path) => readFile(path, 'utf8').catch(() => '')));
  return lines.map((line) => line.replaceAll('\0', ' ').trim());
}

const WITH_PROC = needs(existsSync('/proc/self/cmdline'), 'there is no /proc that lists processes');
const SETTINGS = {
  SHOP_LOGIN: 'admin',
  SHOP_API_KEY: SECRETS.apiKey,
  SHOP_TIMEZONE: 'Europe/Moscow',
  PII_SECRET: SECRETS.guestSecret,
  OPS_PASSWORD: SECRETS.opsPassword,
  ALERT_WEBHOOK_URL: `http://127.0.0.1:9/${SECRETS.webhookToken}`,
  PORT: '0',
};

test.for([
  { name: 'a backfill into the embedded PostgreSQL', args: ['backfill'], isEmbedded: true },
  { name: 'a worker', args: ['worker'], isEmbedded: false },
])(
  'while $name runs, no process has a secret among its arguments',
  WITH_PROC,
  async ({ args, isEmbedded }) => {
    await using simulator = await startSimulator({ orders: 20, days: 2, apiKey: SECRETS.apiKey });
    await using database = await freshDatabase();
    await using opened = await openFolder('processes');
    const folder = opened.path;
    const reading = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    simulator.requests.onRequest(async () => {
      reading.resolve();
      await released.promise;
    });
    const settings = { ...SETTINGS, SHOP_URL: simulator.url };
    const running = startCommand(
      args,
      isEmbedded ? settings : { ...settings, DATABASE_URL: database.url },
      folder,
    );
    try {
      const ended = running.outcome.then(({ stderr }) => stderr);
      expect(await within('the shop is read', Promise.race([reading.promise, ended]))).toBeUndefined();
      const processes = await listProcesses();
      const ours = processes.filter((line) =>
        line.includes(isEmbedded ? folder : `main.js ${args.join(' ')}`),
      );
      expect(ours.length).toBeGreaterThan(0);
      expect(processes.flatMap(findCanaries)).toEqual([]);
      const password = isEmbedded ? await embeddedPassword(folder) : new URL(database.url).password;
      expect(password).not.toBe('');
      expect(
        processes.filter((line) => line.includes(`:${password}`) || line.includes(`=${password}`)),
      ).toEqual([]);
    } finally {
      released.resolve();
      await stop(running);
    }
  },
);

async function embeddedPassword(folder: string): Promise<string> {
  const [path = ''] = await Array.fromAsync(glob('.order-sync/**/pgpass', { cwd: folder }));
  return (await readFile(join(folder, path), 'utf8')).trim().split(':').at(-1) ?? '';
}

const SECRET_NAME = /KEY$|PASSWORD$|SECRET$|TOKEN$|WEBHOOK_URL$/;

test.each([
  ['the compose file hands', 'docker-compose.yml'],
  ['the manifests of Kubernetes hand', 'deploy/kubernetes/{base,worker,cron}/*.yaml'],
])('%s secrets to containers as files, and none as a variable or an argument', async (_what, files) => {
  const paths = await Array.fromAsync(glob(files));
  const text = (await Promise.all(paths.map((path) => readFile(path, 'utf8')))).join('\n');
  // Of variables, in a map or a list, and of the settings in a ConfigMap.
  const names = [...text.matchAll(/^\s*(?:- )?(?:name: )?([A-Z][A-Z\d_]+)(?=:|=(?!"?\$)|\s*$)/gm)].map(
    ([, name = '']) => name,
  );
  expect(names).toContain('SHOP_API_KEY_FILE');
  expect(names.filter((name) => SECRET_NAME.test(name) && name !== 'SHOP_KEY')).toEqual([]);
  expect(text).not.toMatch(/secretKeyRef|secretRef/);
  // The shell reads a file into an environment of its own; an argument would show in the list of processes.
  expect(text).not.toMatch(/ -v password|--password(?!-file=)/);
  const urls = [...text.matchAll(/postgres:\/\/[^\s]*/g)].map(([url]) => url);
  expect(urls.filter((url) => new URL(url).password !== '')).toEqual([]);
});

test('the login for workers takes its password from a file', async () => {
  const text = await readFile('deploy/worker-login.sql', 'utf8');
  expect(text).toContain('\\set password `cat "$PASSWORD_FILE"`\n');
});
