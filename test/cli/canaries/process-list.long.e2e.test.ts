/** What everybody on the machine can read of our processes, and what an engine tells of our containers. */
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

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

/** Every place of a setting in what an engine or a cluster is handed, with its value. */
const environment = z.union([
  z.record(z.string(), z.unknown()),
  z.array(z.object({ name: z.string(), value: z.unknown() }).transform(({ name, value }) => [name, value])),
]);
const SECRET_NAME = /KEY$|PASSWORD$|SECRET$|TOKEN$|WEBHOOK_URL$/;

test('the compose file hands secrets to containers as files, and none as a variable or an argument', async () => {
  const text = await readFile('docker-compose.yml', 'utf8');
  const service = z.looseObject({
    environment: environment.default({}),
    command: z.union([z.string(), z.array(z.string())]).default([]),
  });
  const { services } = z
    .looseObject({ services: z.record(z.string(), service) })
    .parse(parse(text, { merge: true }));
  const given = Object.entries(services).flatMap(([name, each]) =>
    Object.keys(each.environment).map((variable) => `${name} ${variable}`),
  );
  expect(given).toContain('worker SHOP_API_KEY_FILE');
  expect(given.filter((variable) => SECRET_NAME.test(variable) && !variable.endsWith(' SHOP_KEY'))).toEqual(
    [],
  );
  // The shell reads a file into an environment of its own; an argument would show in the list of processes.
  const commands = Object.values(services).flatMap(({ command }) => [command].flat());
  expect(commands.filter((command) => / -v password|--password(?!-file=)/.test(command))).toEqual([]);
  const urls = [...text.matchAll(/postgres:\/\/[^\s]*/g)].map(([url]) => url);
  expect(urls.filter((url) => new URL(url).password !== '')).toEqual([]);
});

test('the manifests of Kubernetes hand secrets to containers as files, too', async () => {
  const paths = await Array.fromAsync(glob('deploy/kubernetes/{base,worker,cron}/*.yaml'));
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  const names = texts.flatMap((text) =>
    parseAllDocuments(text).flatMap((document) => settingNames(document.toJS())),
  );
  expect(names).toContain('SHOP_API_KEY_FILE');
  expect(names.filter((name) => SECRET_NAME.test(name) && name !== 'SHOP_KEY')).toEqual([]);
  expect(texts.filter((text) => /secretKeyRef|secretRef/.test(text))).toEqual([]);
});

/** Of a ConfigMap's data, and of variables at any depth. */
function settingNames(value: unknown): readonly string[] {
  const { success, data } = z.record(z.string(), z.unknown()).safeParse(value);
  if (Array.isArray(value)) return value.flatMap(settingNames);
  if (!success) return [];
  const env = z.array(z.looseObject({ name: z.string() })).safeParse(data['env']);
  const own = data['kind'] === 'ConfigMap' ? Object.keys(Object(data['data'])) : [];
  const variables = env.data?.map(({ name }) => name) ?? [];
  return [...own, ...variables, ...Object.values(data).flatMap(settingNames)];
}

test('the login for workers takes its password from a file', async () => {
  const text = await readFile('deploy/worker-login.sql', 'utf8');
  expect(text).toContain('\\set password `cat "$PASSWORD_FILE"`\n');
});
