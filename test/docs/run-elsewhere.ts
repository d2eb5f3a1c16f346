/** The documented commands that another test runs, and why this one does not. */

type Elsewhere = {
  /** Documented commands that begin so, wherever they stand. */
  readonly commands: readonly string[];
  readonly reason: string;
  /** A file that runs them, and what must stand in it for that to be true. */
  readonly by: string;
  readonly words: readonly string[];
};

export const RUN_ELSEWHERE: readonly Elsewhere[] = [
  {
    commands: ['CREATE EXTENSION IF NOT EXISTS postgres_fdw'],
    reason: 'it needs a second database, with a login',
    by: 'test/docs/beside-other-data.pg.test.ts',
    words: ['postgres_fdw'],
  },
  {
    commands: ['npm ci && npm run demo', 'npm run demo -- --keep', 'order-sync demo --keep'],
    reason: 'a demo takes ten seconds',
    by: 'test/cli/demo-kept.long.e2e.test.ts',
    words: ["start('--keep')"],
  },
  {
    commands: ['npx vitest run test/docs/answers.pg.test.ts', 'npm run docs:dictionary'],
    reason: 'it runs tests',
    by: '.ci/run',
    words: ['npm test'],
  },
  {
    commands: ['npm run --silent order-sync -- sql --demo'],
    reason: 'it asks what a demo has left',
    by: 'test/cli/demo.e2e.test.ts',
    words: ["['demo']", "'sql', '--demo'", 'README.md'],
  },
  {
    commands: ['npm ci && npm test'],
    reason: 'these are the tests',
    by: '.ci/run',
    words: ['npm ci', 'npm test'],
  },
  {
    commands: ['npx vitest run test/plan/days/due-days'],
    reason: 'it runs tests',
    by: 'test/plan/days/due-days.test.ts',
    words: ['test('],
  },
  {
    commands: ['npm run test:faults'],
    reason: 'it runs tests',
    by: 'test/faults/run.ts',
    words: ['npm run test:faults'],
  },
  {
    commands: ['npx vitest run test/sync/sweep/drift -t "moves"'],
    reason: 'it runs tests',
    by: 'test/sync/sweep/drift.pg.test.ts',
    words: ['test', 'moves'],
  },
  {
    commands: ['HOSTILE_SEED=20261130 HOSTILE_RUNS=1 npx vitest run test/sync/hostile/hostile-model'],
    reason: 'it runs tests',
    by: 'test/sync/hostile/hostile-model.pg.test.ts',
    words: ['HOSTILE_SEED', 'HOSTILE_RUNS'],
  },
  {
    commands: ['FC_SEED=7 npx vitest run test/plan/days/due-runs'],
    reason: 'it runs tests',
    by: 'test/plan/days/due-runs.test.ts',
    words: ['fc.assert'],
  },
  {
    commands: [
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
    ],
    reason: 'it needs Docker: npm run test:docker',
    by: 'test/docker/deployment.docker.test.ts',
    words: [
      "'up'",
      "'down', '--volumes'",
      "'run',",
      "'--rm'",
      "'--scale', 'worker=3'",
      'opsPort(worker)',
      "'logs', '--no-log-prefix', 'worker'",
      "'restart', 'worker'",
      "'order-sync', 'status'",
      "startsWith('cat secrets/database-password')",
      "startsWith('docker compose exec demo-shop')",
      "'image', 'ls', '--filter'",
    ],
  },
  {
    commands: ['docker compose --profile grafana', 'docker compose --profile demo --profile grafana up'],
    reason: 'it pulls the image of Grafana; its dashboards are tested without it',
    by: 'test/deploy/compose.test.ts',
    words: ["'grafana'"],
  },
  {
    commands: ['docker compose exec -T postgres pg_', 'docker compose exec -T postgres psql'],
    reason: 'it needs Docker: npm run test:docker',
    by: 'test/docker/deployment.docker.test.ts',
    words: ['docs/deployment.md', "includes('pg_dump')", 'as documented'],
  },
  {
    commands: ["docker compose exec worker sh -c 'kill -HUP 1'"],
    reason: 'the signal is sent to a worker without a container',
    by: 'test/worker/ops-server.e2e.test.ts',
    words: ["'SIGHUP'"],
  },
  {
    commands: ['docker build', 'docker run'],
    reason: 'it needs Docker: npm run test:docker',
    by: 'test/docker/deployment.docker.test.ts',
    words: ["'build'", "'--read-only'", "'--cap-drop'", "'no-new-privileges'", "'--user'"],
  },
  {
    commands: ['kubectl'],
    reason: 'it needs a cluster; what it applies is held to the schemas of Kubernetes',
    by: 'test/deploy/kubernetes.test.ts',
    words: ['kustomization', 'a worker and a sync start with the settings'],
  },
  {
    commands: ['order-sync shops set-timezone', 'order-sync shops delete'],
    reason: 'a shop is paused, moved to another zone and deleted there',
    by: 'test/cli/shops.e2e.test.ts',
    words: ['set-timezone', 'delete'].map((verb) => `shops ${verb} `),
  },
  {
    commands: [
      'npm ci && npm pack',
      'npm pack',
      'npm install -g',
      'npm install ./order-sync',
      'npm uninstall -g order-sync',
    ],
    reason: 'it needs the package, as it will be published',
    by: 'test/install/npm-install.long.e2e.test.ts',
    words: ["'install', '--global'", "'uninstall', '--global'", "'npx'"],
  },
];
