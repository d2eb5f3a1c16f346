import { type NextStep, nextStep } from '../../model/next-step.ts';
import type { CliContext } from './io.ts';

/** How order-sync is called here: npm runs it in a checkout, npx in a folder that it was installed for. */
function commandName(script = ''): string {
  if (['demo', 'order-sync'].includes(script)) return 'npm run --silent order-sync --';
  return script === 'npx' ? 'npx order-sync' : 'order-sync';
}

/** A command to type next, with the settings file of this one. */
export function nextCommand({ env, flags: { config } }: CliContext, step: NextStep): string {
  const command = nextStep(step).replace(/^order-sync/, commandName(env['npm_lifecycle_event']));
  return config === undefined ? command : `${command} --config ${quoted(config)}`;
}

/** As a shell reads it. */
function quoted(value: string): string {
  return /^[\w./:@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
