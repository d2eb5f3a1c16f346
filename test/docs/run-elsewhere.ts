/** The documented commands that another test runs, by its file; each stands for all that begin so. */
export const RUN_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  // It needs a second database, with a login.
  'test/docs/beside-other-data.pg.test.ts': ['CREATE EXTENSION IF NOT EXISTS postgres_fdw'],
  // A demo takes ten seconds.
  'test/cli/demo-kept.long.e2e.test.ts': [
    'npm ci && npm run demo',
    'npm run demo -- --keep',
    'order-sync demo --keep',
  ],
  'test/cli/demo.e2e.test.ts': ['npm run --silent order-sync -- sql --demo'],
  // They run tests.
  '.ci/run': [
    'npx vitest run test/docs/answers.pg.test.ts',
    'npm run docs:dictionary',
    'npm ci && npm test',
    'npx vitest run test/plan/days/due-days',
    'npm run test:faults',
    'npx vitest run test/sync/sweep/days/drift -t "moves"',
    'HOSTILE_SEED=20261130 HOSTILE_RUNS=1 npx vitest run test/sync/hostile/hostile-model',
    'FC_SEED=7 npx vitest run test/plan/days/due-runs',
  ],
  // They need Docker: npm run test:docker.
  'test/docker/deployment.docker.test.ts': [
    'docker compose --profile demo up',
    'docker compose up',
    'docker compose --profile demo down --volumes',
    'docker compose --profile demo --profile grafana down --volumes',
    'docker compose run --rm worker',
    'docker compose exec worker order-sync',
    'docker compose logs worker',
    'docker compose restart worker',
    'cat secrets/database-password secrets/database-password |',
    'docker compose exec demo-shop',
    'docker image prune',
    'docker compose port --index 2 worker 8080',
    'docker compose exec -T postgres pg_',
    'docker compose exec -T postgres psql',
    'docker build',
    'docker run',
  ],
  // It pulls the image of Grafana; its dashboards are tested without it.
  'test/deploy/compose.test.ts': [
    'docker compose --profile grafana',
    'docker compose --profile demo --profile grafana up',
  ],
  // The signal is sent to a worker without a container.
  'test/worker/ops-server.e2e.test.ts': ["docker compose exec worker sh -c 'kill -HUP 1'"],
  // It needs a cluster; what it applies is held to the schemas of Kubernetes.
  'test/deploy/kubernetes.test.ts': ['kubectl'],
  // A shop is paused, moved to another zone and deleted there.
  'test/cli/shops.e2e.test.ts': ['order-sync shops set-timezone', 'order-sync shops delete'],
  // It needs a webhook.
  'test/cli/commands/sync/alerts.e2e.test.ts': ['order-sync check --alert'],
  // It needs the package, as it will be published.
  'test/install/npm-install.long.e2e.test.ts': [
    'npm ci && npm pack',
    'npm pack',
    'npm install -g',
    'npm install ./order-sync',
    'npm uninstall -g order-sync',
  ],
};

export const isRunElsewhere = (text: string) =>
  Object.values(RUN_ELSEWHERE).some((commands) => commands.some((command) => text.startsWith(command)));
