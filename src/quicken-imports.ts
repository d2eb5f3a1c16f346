import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';

/** Below it lie ES modules alone; its package.json names a thousand of them. */
const PACKAGE = '/node_modules/drizzle-orm/';

/** Within the package, since whoever writes it decides what runs. Where it cannot be written, it is done without. */
const COMPILED = join(import.meta.dirname, '../node_modules/.cache/order-sync');

/**
 * Makes every command start a second sooner. What Node.js compiles, types stripped, is kept for the next time. And Node.js 26
 * asks for each file that is imported what kind of module its package holds, and parses the package's whole list of exports to
 * know: here that is told to it instead.
 */
export function quickenImports(): void {
  enableCompileCache(COMPILED);
  registerHooks({
    resolve(specifier, context, next) {
      const isInside = specifier.startsWith('.') && context.parentURL?.includes(PACKAGE) === true;
      if (!isInside || !specifier.endsWith('.js')) return next(specifier, context);
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
    },
  });
}
