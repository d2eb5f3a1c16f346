/** A real nginx before a shop: the limits that most shops' hosts set. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { owned } from './children.ts';
import { freePort } from './listen.ts';
import { openFolder } from './scratch-folder.ts';

const NGINX = ['/usr/sbin/nginx', 'nginx'].find((path) => spawnSync(path, ['-v']).status === 0);
export const HAS_NGINX = NGINX !== undefined;

export type NginxRules = {
  /** Of the block `http`, such as a `limit_req_zone`. */
  readonly http: string;
  /** Of the block `location`. */
  readonly location: string;
};

/** Starts it on a free port of this machine, before the server at `url`. */
export async function startNginx(
  url: string,
  { http, location }: NginxRules,
): Promise<AsyncDisposable & { readonly url: string }> {
  const opened = await openFolder('nginx');
  const folder = opened.path;
  await mkdir(join(folder, 'temp'), { mode: 0o777 });
  const port = await freePort();
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temp/${name};`)
    .join(' ');
  const config = `
    pid ${folder}/pid; error_log ${folder}/error.log crit; worker_processes 1; daemon off; master_process off;
    events { worker_connections 512; }
    http {
      access_log off; ${temp} ${http}
      server { listen 127.0.0.1:${port}; location / { ${location} proxy_pass ${url}; } }
    }`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const args = ['-c', join(folder, 'nginx.conf'), '-p', folder];
  const nginx = owned(spawn(NGINX ?? 'nginx', args, { stdio: 'ignore' }));
  const ended = once(nginx, 'exit');
  const own = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(`${own}/nothing`).then(
      () => true,
      () => false,
    );
  while (nginx.exitCode === null && !(await answers())) await sleep(20);
  return {
    url: own,
    async [Symbol.asyncDispose]() {
      nginx.kill();
      await ended;
      await opened[Symbol.asyncDispose]();
    },
  };
}
