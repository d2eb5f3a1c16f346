import { type NextStep, nextStep } from '../../model/next-step.ts';

/** How order-sync is called here: npm runs it in a checkout, npx in a folder that it was installed for. */
function commandName(env: Readonly<Record<string, string | undefined>>): string {
  const isOfCheckout = ['demo', 'order-sync'].includes(env['npm_lifecycle_event'] ?? '');
  if (isOfCheckout) return 'npm run --silent order-sync --';
  return env['npm_lifecycle_event'] === 'npx' ? 'npx order-sync' : 'order-sync';
}

/** What a command line was called with, as far as the next one has to repeat it. */
export type CalledWith = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value of `--config`. */
  readonly config?: string | undefined;
};

/** A command to type next, with the settings file of this one. */
export function nextCommand({ env, config }: CalledWith, step: NextStep): string {
  const command = nextStep(step).replace(/^order-sync/, commandName(env));
  return config === undefined ? command : `${command} --config ${quoted(config)}`;
}

/** As a shell reads it. */
function quoted(value: string): string {
  return /^[\w./:@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
