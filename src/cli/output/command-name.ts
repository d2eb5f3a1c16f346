/** How order-sync is called here: npm runs it in a checkout, npx in a folder that it was installed for. */
export function commandName(env: Readonly<Record<string, string | undefined>>): string {
  const isOfCheckout = ['demo', 'order-sync'].includes(env['npm_lifecycle_event'] ?? '');
  if (isOfCheckout) return 'npm run --silent order-sync --';
  return env['npm_lifecycle_event'] === 'npx' ? 'npx order-sync' : 'order-sync';
}
