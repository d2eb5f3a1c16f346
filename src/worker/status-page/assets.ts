import { createHash } from 'node:crypto';

import { ASSET_FILES } from './asset-files.ts';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** A part of the files' addresses that changes with any of them, so that browsers may keep them for ever. */
export const ASSETS_HASH = createHash('sha256')
  .update(JSON.stringify(ASSET_FILES))
  .digest('hex')
  .slice(0, 12);

/** A file of the pages, by its name. */
export function findAsset(name: string): { readonly type: string; readonly text: string } | undefined {
  const text = Object.hasOwn(ASSET_FILES, name) ? ASSET_FILES[name] : undefined;
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
  return text === undefined || type === undefined ? undefined : { type, text };
}
