import { registerHooks } from 'node:module';

/** Below it lie ES modules alone; its package.json names a thousand of them. */
const PACKAGE = '/node_modules/drizzle-orm/';

/**
 * Makes every command start half a second sooner. Node.js 26 asks for each file that is imported what kind of module its
 * package holds, and parses the package's whole list of exports to know: here that is told to it instead.
 */
export function quickenImports(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isInside = specifier.startsWith('.') && context.parentURL?.includes(PACKAGE) === true;
      if (!isInside || !specifier.endsWith('.js')) return next(specifier, context);
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
    },
  });
}
