import { spawnSync } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';

import { loadConfig } from '../../src/config/load-config.ts';
import { SETTING_NAMES } from '../../src/config/settings.ts';
import { VERSION } from '../../src/model/program.ts';
import { schemaProblems } from './kubernetes-schema.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));

type Manifest = { readonly path: string; readonly text: string };

async function readManifests(): Promise<readonly Manifest[]> {
  const found = await Array.fromAsync(glob('**/*.yaml', { cwd: FOLDER }));
  const ours = found.filter((path) => path !== 'secret.yaml').toSorted();
  return Promise.all(ours.map(async (path) => ({ path, text: await readFile(FOLDER + path, 'utf8') })));
}

/** What they change is checked as a whole. */
const isPatch = (path: string) => path.startsWith('shops/');
const manifests = await readManifests();
const kubernetesObject = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });
const objects = manifests
  .filter(({ path }) => !path.endsWith('kustomization.yaml') && !isPatch(path))
  .flatMap(({ path, text }) =>
    parseAllDocuments(text).map((document) => ({ path, object: kubernetesObject.parse(document.toJS()) })),
  );
const textOf = (path: string) => manifests.find((each) => each.path === path)?.text ?? '';
const findAll = (kind: string, name: string) =>
  objects.flatMap(({ object }) => (object.kind === kind && object.metadata.name === name ? [object] : []));
const findKind = (kind: string) => objects.find(({ object }) => object.kind === kind)?.object;

const container = z.looseObject({
  args: z.array(z.string()),
  image: z.string(),
  securityContext: z.unknown(),
  resources: z.unknown(),
});
const podSpec = z.looseObject({ containers: z.array(container) });
const template = z.looseObject({ template: z.looseObject({ spec: podSpec }) });
const podKinds = {
  Deployment: z.looseObject({ spec: template }).transform(({ spec }) => spec.template.spec),
  Job: z.looseObject({ spec: template }).transform(({ spec }) => spec.template.spec),
  CronJob: z
    .looseObject({ spec: z.looseObject({ jobTemplate: z.looseObject({ spec: template }) }) })
    .transform(({ spec }) => spec.jobTemplate.spec.template.spec),
};
const pods = Object.entries(podKinds).map(([kind, schema]) => [kind, schema.parse(findKind(kind))] as const);

const podOf = (kind: string) => new Map<string, z.infer<typeof podSpec>>(pods).get(kind);

test('every object is valid for the API of Kubernetes or the Prometheus operator', () => {
  expect(objects.map(({ object }) => object.kind).toSorted()).toEqual(
    expect.arrayContaining([
      'ConfigMap',
      'CronJob',
      'Deployment',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PrometheusRule',
      'Secret',
      'Service',
      'ServiceMonitor',
    ]),
  );
  for (const { path, object } of objects) expect(schemaProblems(object), path).toEqual([]);
});

test.each([
  ['worker/workers.yaml', 'readinessProbe', 'readinesProbe'],
  ['worker/workers.yaml', 'replicas: 2', "replicas: 'two'"],
  ['worker/workers.yaml', 'memory: 512Mi', 'memory: lots'],
  ['worker/workers.yaml', 'apps/v1', 'apps/v1beta9'],
  ['cron/sync.yaml', "schedule: '*/5 * * * *'", ''],
  ['monitoring/service-monitor.yaml', 'endpoints', 'endpoint'],
  ['monitoring/prometheus-rule.yaml', 'expr:', 'expression:'],
])('in %s, %s written as "%s" is found', (path, right, wrong) => {
  expect(textOf(path)).toContain(right);
  expect(schemaProblems(parse(textOf(path).replace(right, wrong)))).not.toEqual([]);
});

test.each(pods)('the pod of the %s is confined, and bounded', (_kind, pod) => {
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(pod.containers).toHaveLength(1);
  for (const each of pod.containers) {
    expect(each).toMatchObject({
      image: 'order-sync',
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      resources: { requests: { memory: expect.anything() }, limits: { memory: expect.anything() } },
    });
  }
});

test('the worker is probed at a path that it serves, and gets enough time to stop', () => {
  const pod = podOf('Deployment');
  // The longest that a stop takes, with a margin.
  expect(pod?.['terminationGracePeriodSeconds']).toBeGreaterThanOrEqual(10);
  expect(pod?.containers[0]).toMatchObject({
    args: ['worker'],
    ports: [{ name: 'ops', containerPort: 8080 }],
    startupProbe: { httpGet: { path: '/livez', port: 'ops' } },
    livenessProbe: { httpGet: { path: '/livez', port: 'ops' } },
    readinessProbe: { httpGet: { path: '/readyz', port: 'ops' } },
  });
});

/** Reads what is mounted from a Secret of the example. */
function readMounted(secretName: string): (path: string) => string {
  const secrets = z.array(z.looseObject({ stringData: z.record(z.string(), z.string()) }));
  const { stringData } = secrets.parse(findAll('Secret', secretName))[0] ?? {};
  return (path) => {
    const content = stringData?.[path.replace('/run/secrets/order-sync/', '')];
    if (content === undefined) throw new Error(`${path} is not in the Secret`);
    return content;
  };
}

test('a worker and a sync start with the settings, whose files are in the Secret', () => {
  const { data } = z.looseObject({ data: z.record(z.string(), z.string()) }).parse(findKind('ConfigMap'));
  const known = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);
  expect(known).toEqual(expect.arrayContaining(Object.keys(data)));
  const config = loadConfig({ env: data, readFile: readMounted('order-sync') }, { shop: true });
  expect(config.shops).toMatchObject([{ baseUrl: 'https://shop.example' }]);
  for (const kind of ['Deployment', 'CronJob']) {
    expect(podOf(kind)).toMatchObject({
      containers: [{ envFrom: [{ configMapRef: { name: 'order-sync' } }] }],
      volumes: [{ secret: { secretName: 'order-sync' } }],
    });
  }
});

test("the migrations alone know the owner's password", () => {
  const pod = podOf('Job');
  const variables = z.array(z.strictObject({ name: z.string(), value: z.string() }));
  const given = variables.parse(pod?.containers[0]?.['env']).map(({ name, value }) => [name, value]);
  const env = Object.fromEntries(given) as Record<string, string>;
  expect(pod).toMatchObject({ volumes: [{ secret: { secretName: 'order-sync-owner' } }] });
  const config = loadConfig({ env, readFile: readMounted('order-sync-owner') }, { shop: false });
  expect(config.databaseUrl).toContain('owns%20the%20schemas');
});

test('each kustomization lists files that exist, and each object is in one', async () => {
  const kustomization = z.strictObject({
    apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
    kind: z.literal('Kustomization'),
    resources: z.array(z.string()),
    images: z
      .array(
        z.strictObject({
          name: z.literal('order-sync'),
          newName: z.string(),
          newTag: z.literal(VERSION),
        }),
      )
      .optional(),
  });
  const listed = manifests
    .filter(({ path }) => path.endsWith('kustomization.yaml') && !isPatch(path))
    .flatMap(({ path, text }) =>
      kustomization
        .parse(parse(text))
        .resources.filter((resource) => resource !== '../base')
        .map((resource) => path.replace('kustomization.yaml', resource)),
    );
  const apart = ['secret.example.yaml'];
  expect([...listed, ...apart].toSorted()).toEqual([...new Set(objects.map(({ path }) => path))].toSorted());
});

/** What `kubectl apply -k` would send; undefined where this machine lacks kubectl. */
function build(folder: string): readonly z.infer<typeof kubernetesObject>[] | undefined {
  const { status, stdout } = spawnSync('kubectl', ['kustomize', FOLDER + folder], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  return parseAllDocuments(stdout).map((document) => kubernetesObject.parse(document.toJS()));
}

test.for(['worker', 'cron', 'shops', 'monitoring'])(
  'what kubectl builds of %s is valid',
  (folder, { skip }) => {
    const built = build(folder);
    if (built === undefined) {
      skip('this machine has no kubectl that runs kustomize');
      return;
    }
    for (const object of built) expect(schemaProblems(object), object.kind).toEqual([]);
    const output = validate(built);
    if (output === undefined) {
      skip('this machine has no kubernetes-validate: the schemas of kubernetes-models were used alone');
      return;
    }
    expect(output).toBe('');
  },
);

/** By the schemas that Kubernetes publishes. @returns its complaints; undefined where it is not installed */
function validate(objects: readonly z.infer<typeof kubernetesObject>[]): string | undefined {
  const own = objects.filter(({ apiVersion }) => !String(apiVersion).startsWith('monitoring.'));
  const input = own.map((object) => stringify(object)).join('---\n');
  const { status, stdout, stderr, error } = spawnSync('kubernetes-validate', ['--strict', '--quiet', '-'], {
    input,
    encoding: 'utf8',
  });
  if (error !== undefined) return undefined;
  return status === 0 ? '' : `${stdout}${stderr}`;
}

test('the overlay for several shops mounts their file, and leaves the settings of one shop out', ({
  skip,
}) => {
  const built = build('shops');
  if (built === undefined) {
    skip('this machine has no kubectl that runs kustomize');
    return;
  }
  const settings = built.find(({ kind }) => kind === 'ConfigMap')?.['data'] as Record<string, string>;
  expect(Object.keys(settings).filter((name) => name.startsWith('SHOP_'))).toEqual([]);
  const text = JSON.stringify(built.find(({ kind }) => kind === 'Deployment'));
  const folder = settings['SHOPS_FILE']?.replace(/\/[^/]*$/, '');
  expect(text.split(`"mountPath":"${folder}"`)).toHaveLength(3);
  expect(text).toContain('"secretName":"order-sync-shops"');
});

test.each(['Deployment', 'CronJob'])('the %s waits for the migrations', (kind) => {
  const [first] = z.array(container).parse(podOf(kind)?.['initContainers']);
  expect(first).toMatchObject({ image: 'order-sync', args: ['migrate', '--wait'] });
});
