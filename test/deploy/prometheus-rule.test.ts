/** The alert rules of deploy/prometheus as an object of the Prometheus operator. */
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';

const FOLDER = fileURLToPath(new URL('../../deploy/', import.meta.url));
const rulesFile = z.strictObject({ groups: z.array(z.unknown()).min(1) });

test('the PrometheusRule holds every group of deploy/prometheus', async () => {
  const files = await Array.fromAsync(glob('prometheus/*.rules.yml', { cwd: FOLDER }));
  expect(files).not.toEqual([]);
  const read = async (file: string) => rulesFile.parse(parse(await readFile(FOLDER + file, 'utf8'))).groups;
  const groups = (await Promise.all(files.toSorted().map(read))).flat();
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'order-sync', labels: { 'app.kubernetes.io/name': 'order-sync' } },
    spec: { groups },
  };
  const head =
    '# Generated from deploy/prometheus by `npm run deploy:rules`: edit those files, not this one.\n';
  await expect(head + stringify(rule, { lineWidth: 0 }), 'npm run deploy:rules').toMatchFileSnapshot(
    `${FOLDER}kubernetes/monitoring/prometheus-rule.yaml`,
  );
});
