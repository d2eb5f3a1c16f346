import { type Config, loadConfig } from '../../src/config/load-config.ts';
import { type Env, problemsIn } from '../support/settings.ts';

/** Settings with a shops file of this text, and further files beside it. */
export function parseFile(text: string, env: Env = {}, files: Readonly<Record<string, string>> = {}): Config {
  const readFile = (path: string) => {
    const found = path === 'etc/shops.yaml' ? text : files[path];
    if (found === undefined) throw new Error(`there is no ${path}`);
    return found;
  };
  return loadConfig({ env: { SHOPS_FILE: 'etc/shops.yaml', ...env }, readFile }, { shop: true });
}

export const problemsOf = (...given: Parameters<typeof parseFile>) => problemsIn(() => parseFile(...given));
