/** The compose file of the project, driven from outside. */
import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);

/** Not those that a person's own deployment on this machine uses. */
const ENV = {
  COMPOSE_PROJECT_NAME: 'order-sync-test',
  ORDER_SYNC_VERSION: 'test',
  DATABASE_PORT: '127.0.0.1:25432',
  OPS_PORTS: '127.0.0.1:28080-28089',
  ORDER_SYNC_REVISION: 'test-revision',
  ORDER_SYNC_SOURCE: 'https://source.example/order-sync',
};

/** All as it is shipped, but for the shop, which never comes to rest there, and the schedule. */
const FILES = ['--file', 'docker-compose.yml', '--file', 'test/docker/still-shop.yaml'];

export const IMAGE = 'order-sync:test';
export const NETWORK = 'order-sync-test_default';
export const DATABASE_PORT = 25_432;

/** @returns why Docker cannot be used; undefined where it can */
export async function whyNoDocker(): Promise<string | undefined> {
  try {
    await run('docker', ['compose', 'version']);
    await run('docker', ['info']);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? error.name) : String(error);
  }
}

/** @returns what it printed on standard output @throws Error with what it printed when it fails */
export async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('docker', args, {
    cwd: root,
    env: { ...process.env, ...ENV },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** Runs a documented command as it is, in a folder of its own. @returns what it printed on standard output */
export async function inShell(command: string, cwd: string): Promise<string> {
  const files = FILES.filter((word) => word !== '--file').map((path) => fileURLToPath(new URL(path, root)));
  const { stdout } = await run('/bin/sh', ['-ec', command], {
    cwd,
    env: { ...process.env, ...ENV, COMPOSE_FILE: files.join(delimiter), COMPOSE_PROFILES: 'demo' },
  });
  return stdout;
}

export async function compose(...args: readonly string[]): Promise<string> {
  return docker('compose', ...FILES, '--profile', 'demo', ...args);
}

/** The port of a worker's page on this machine: any of the range, and another one after each start. */
export async function opsPort(worker = 1): Promise<number> {
  const address = await compose('port', '--index', String(worker), 'worker', '8080');
  return Number(address.trim().split(':').at(-1));
}
