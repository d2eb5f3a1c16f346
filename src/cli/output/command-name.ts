/** How order-sync is called here: in a checkout, npm runs it. */
export function commandName(env: Readonly<Record<string, string | undefined>>): string {
  const isOfCheckout = ['demo', 'order-sync'].includes(env['npm_lifecycle_event'] ?? '');
  return isOfCheckout ? 'npm run --silent order-sync --' : 'order-sync';
}
