/** Grafana finds what the repository gives it: the files agree on names, paths and secrets. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

import { readDashboards } from './dashboards.ts';
import { inRepository } from './markdown.ts';

const compose = z.object({
  services: z.object({
    grafana: z.object({
      image: z.string(),
      profiles: z.array(z.string()),
      environment: z.record(z.string(), z.string()),
      volumes: z.array(z.string()),
      secrets: z.array(z.string()),
      ports: z.array(z.string()),
      depends_on: z.record(z.string(), z.object({ condition: z.string() })),
    }),
    postgres: z.object({ environment: z.record(z.string(), z.string()) }),
  }),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
const datasources = z.object({
  datasources: z.tuple([
    z.object({
      uid: z.string(),
      type: z.string(),
      url: z.string(),
      user: z.string(),
      editable: z.literal(false),
      jsonData: z.object({ database: z.string() }),
      secureJsonData: z.object({ password: z.string() }),
    }),
  ]),
});
const providers = z.object({
  providers: z.tuple([
    z.object({ allowUiUpdates: z.literal(false), options: z.object({ path: z.string() }) }),
  ]),
});

const FOLDER = 'deploy/grafana/provisioning';
const read = async <Shape extends z.ZodType>(shape: Shape, path: string) =>
  shape.parse(parse(await readFile(inRepository(path), 'utf8'), { merge: true }));
const { services, secrets } = await read(compose, 'docker-compose.yml');
const { grafana, postgres } = services;

test('it reads the warehouse as bi, with a password that is a secret of the service', async () => {
  const [datasource] = (await read(datasources, `${FOLDER}/datasources/order-sync.yaml`)).datasources;
  expect(datasource).toMatchObject({ url: 'postgres:5432', user: 'bi' });
  expect(datasource.jsonData.database).toBe(postgres.environment['POSTGRES_DB']);
  const file = datasource.secureJsonData.password.match(/^\$__file\{\/run\/secrets\/(\w+)\}$/)?.[1] ?? '';
  expect(grafana.secrets).toContain(file);
  expect(secrets[file]?.file).toMatch(/bi-password$/);
  expect(grafana.depends_on).toEqual({ 'bi-login': { condition: 'service_completed_successfully' } });
  const asked = (await readDashboards()).flatMap(({ panels }) => panels.map((panel) => panel.datasource));
  expect(asked[0]).toEqual({ type: datasource.type, uid: datasource.uid });
});

test('it finds the dashboards, and opens one of them first', async () => {
  const [{ options }] = (await read(providers, `${FOLDER}/dashboards/order-sync.yaml`)).providers;
  const mounts = grafana.volumes.map((volume) => volume.split(':'));
  /** Where in the repository a folder of the container comes from; undefined where it can be written to. */
  const comesFrom = (path: string) => {
    const [host = '', at = '', mode] = mounts.find(([, at = '']) => `${path}/`.startsWith(`${at}/`)) ?? [];
    return mode === 'ro' ? host + path.slice(at.length) : undefined;
  };
  expect(comesFrom(options.path)).toBe('./deploy/grafana/dashboards');
  for (const kind of ['dashboards', 'datasources']) {
    expect(comesFrom(`/etc/grafana/provisioning/${kind}`)).toBe(`./${FOLDER}/${kind}`);
  }
  const home = grafana.environment['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH'] ?? '';
  expect(existsSync(inRepository(home.replace(options.path, 'deploy/grafana/dashboards')))).toBe(true);
});

test('nobody gets in without a password, nor from another machine unless told so', async () => {
  expect(Object.keys(grafana.environment).filter((name) => name.includes('ANONYMOUS'))).toEqual([]);
  expect(grafana.environment).not.toHaveProperty('GF_SECURITY_ADMIN_PASSWORD');
  expect(grafana.environment['GF_SECURITY_ADMIN_PASSWORD__FILE']).toBe('/run/secrets/grafana_password');
  expect(grafana.secrets).toContain('grafana_password');
  expect(grafana.ports).toEqual(['${GRAFANA_PORT:-127.0.0.1:3000}:3000']);
});

test('it is one version, and only where asked for', () => {
  expect(grafana.image).toMatch(/^grafana\/grafana:\d+\.\d+\.\d+$/);
  expect(grafana.profiles).toEqual(['grafana']);
});

test('every panel obeys the range, or says that it does not', async () => {
  const panels = (await readDashboards()).flatMap((dashboard) => dashboard.panels);
  const unclear = panels.filter(
    ({ targets: [{ rawSql }], description }) =>
      /\$__time(From|Filter)/.test(rawSql) === description.includes('whatever the range'),
  );
  expect(unclear.map(({ title }) => title)).toEqual([]);
});
