/** The compose file without Docker: what it hands to the worker, and how it confines it. */
import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

import { SETTING_NAMES } from '../../src/config/settings.ts';

const service = z.looseObject({
  environment: z.record(z.string(), z.string()).default({}),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.boolean() })).default([]),
  ports: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
});
const composeFile = z.looseObject({ services: z.record(z.string(), service) });

const inRoot = async (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const { services } = composeFile.parse(parse(await inRoot('docker-compose.yml'), { merge: true }));
const worker = service.parse(services['worker']);

/** What compose itself decides: where its database is, and files with secrets. */
const FIXED = ['DATABASE_URL', 'DATABASE_PASSWORD', 'SHOP_API_KEY'];

test('every setting in .env reaches the worker: nothing that compose sets itself hides it', () => {
  expect(worker.env_file).toEqual([{ path: '.env', required: false }]);
  for (const name of SETTING_NAMES.filter((each) => !FIXED.includes(each))) {
    const given = worker.environment[name] ?? `\${${name}-`;
    expect(given, `${name} must come from .env`).toMatch(new RegExp(`^\\$\\{${name}:?-`));
    expect(worker.environment, name).not.toHaveProperty(`${name}_FILE`);
  }
  for (const name of FIXED) {
    expect(worker.environment[name] ?? worker.environment[`${name}_FILE`], name).toMatch(
      /^(postgres:|\/run\/secrets\/)/,
    );
  }
  expect(worker.ports).toEqual([expect.stringMatching(/:\$\{PORT:-8080\}$/)]);
});

test('.env.example names every setting that may stand there', async () => {
  const example = await inRoot('.env.example');
  const named = new Set([...example.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name));
  expect(SETTING_NAMES.filter((name) => !FIXED.includes(name) && !named.has(name))).toEqual([]);
  // None that is gone, either.
  const others = /^(SECRETS|WORKERS|[A-Z]+_PORTS?|[A-Z]+_MEMORY|HTTPS_PROXY|NO_PROXY|NODE_.*)$/;
  const unknown = [...named].filter((name = '') => !SETTING_NAMES.includes(name) && !others.test(name));
  expect(unknown).toEqual([]);
});

test('every service keeps its log small, and ours run without root, capabilities and a writable file system', () => {
  expect(Object.keys(services)).toEqual(expect.arrayContaining(['worker', 'postgres', 'grafana']));
  for (const [name, each] of Object.entries(services)) {
    const { options } = z.object({ options: z.record(z.string(), z.string()) }).parse(each['logging']);
    expect(options, name).toEqual({ 'max-size': '10m', 'max-file': '5' });
  }
  for (const name of ['migrate', 'worker', 'demo-shop']) {
    expect(services[name], name).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: ['/tmp'],
    });
  }
});

test('the image names the version of the program', async () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(await inRoot('package.json')));
  expect(await inRoot('Dockerfile')).toContain(`\nARG VERSION=${version}\n`);
});
