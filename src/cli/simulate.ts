import { once } from 'node:events';

import { ConfigError } from '../errors.ts';
import { type Dialect, PLAIN, WEIRD } from '../simulator/dialect.ts';
import { type Simulator, startSimulator } from '../simulator/server.ts';
import { type CliContext, EXIT, type ExitCode } from './io.ts';

export type SimulateOptions = {
  readonly orders: string;
  readonly days: string;
  readonly seed: string;
  readonly latency: string;
  readonly pageCap?: string;
  readonly port: string;
  readonly host: string;
  readonly timezone: string;
  readonly live?: boolean;
  readonly weird?: boolean;
  readonly dialect?: readonly string[];
  readonly json?: boolean;
};

/** `simulate`: serves the simulated shop until interrupted, and prints the settings that point at it. */
export async function simulateCommand(context: CliContext, options: SimulateOptions): Promise<ExitCode> {
  await using simulator = await start(options);
  const settings = shopSettings(simulator, options.timezone);
  context.io.out(
    options.json === true
      ? `${JSON.stringify(settings)}\n`
      : `${Object.entries(settings)
          .map(([name, value]) => `export ${name}=${value}`)
          .join('\n')}\n`,
  );
  context.io.err(
    `A simulated shop of ${simulator.shop.orders().length} orders answers at ${simulator.url}/adm/api/; ` +
      `${simulator.url}/_sim/ changes it. It runs until you press Ctrl-C.\n`,
  );
  if (!context.signal.aborted) await once(context.signal, 'abort');
  return EXIT.done;
}

async function start(options: SimulateOptions): Promise<Simulator> {
  const { timezone, host } = options;
  const live = options.live === true ? { live: { everyMs: 5_000 } } : {};
  const pageCap = options.pageCap === undefined ? {} : { pageCap: count('--page-cap', options.pageCap) };
  const sizes = {
    orders: count('--orders', options.orders),
    days: count('--days', options.days),
    seed: count('--seed', options.seed),
    latencyMs: count('--latency', options.latency),
    port: count('--port', options.port),
  };
  const dialect = { ...(options.weird === true ? WEIRD : PLAIN), ...switches(options.dialect ?? []) };
  try {
    return await startSimulator({ ...sizes, ...live, ...pageCap, dialect, timezone, host, admin: true });
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (isTaken) throw new ConfigError([`port ${options.port} is taken; choose another with --port`]);
    if (error instanceof RangeError) throw new ConfigError([error.message]);
    throw error;
  }
}

/** Environment values with which the other commands read this shop. */
export function shopSettings(simulator: Simulator, timezone: string): Record<string, string> {
  return {
    SHOP_URL: simulator.url,
    SHOP_LOGIN: 'admin',
    SHOP_API_KEY: 'simulated-key',
    SHOP_TIMEZONE: timezone,
    SHOP_MAX_RPS: '1000',
  };
}

function count(name: string, text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new ConfigError([`${name} must be a whole number, not "${text}"`]);
  return Number(text);
}

function switches(given: readonly string[]): Partial<Dialect> {
  const known = new Map<string, unknown>(Object.entries(PLAIN));
  return Object.fromEntries(
    given.map((text) => {
      const [name = '', value = ''] = text.split('=');
      const plain = known.get(name);
      if (plain === undefined) {
        throw new ConfigError([`--dialect ${text}: known switches are ${[...known.keys()].join(', ')}`]);
      }
      return [name, typeof plain === 'boolean' ? value === 'true' : value];
    }),
  );
}
