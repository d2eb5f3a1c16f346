import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { integer, zone } from '../../../config/setting-types.ts';
import { UsageError } from '../../../model/errors.ts';
import { type Dialect, PLAIN, readSwitch, WEIRD } from '../../../simulator/shop/dialect.ts';
import { type Simulator, startSimulator } from '../../../simulator/server.ts';
import { untilInterrupted } from '../../open.ts';
import { type CommandOptions, readAs } from '../../options.ts';
import { type CliContext, note } from '../../output/io.ts';
import { print } from '../../output/layout.ts';

type Sizes = 'orders' | 'days' | 'seed' | 'latency' | 'port' | 'host' | 'timezone';
type SimulateOptions = Readonly<Record<Sizes, string>> &
  CommandOptions<'pageCap' | 'state', 'live' | 'weird'> & { readonly dialect?: readonly string[] };

/** `simulate`: serves the simulated shop until interrupted, and prints the settings that point at it. */
export async function simulateCommand(context: CliContext, options: SimulateOptions) {
  await using simulator = await start(options);
  const settings = shopSettings(simulator, options.timezone);
  const exports = Object.entries(settings).map(([name, value]) => `export ${name}=${value}`);
  print(context, exports, [settings]);
  note(
    context,
    `A simulated shop of ${simulator.shop.orders().length} orders is running at ${simulator.url}/adm/api/; ` +
      `change it at ${simulator.url}/_sim/. Press Ctrl-C to stop.\n`,
  );
  await untilInterrupted(context.signal);
}

async function start(options: SimulateOptions): Promise<Simulator> {
  const { timezone, host, pageCap, state } = options;
  readAs(zone, timezone, '--timezone');
  const port = readCount('--port', options.port, 0, 65_535);
  const simulated = {
    orders: readCount('--orders', options.orders),
    days: readCount('--days', options.days),
    seed: readCount('--seed', options.seed),
    latencyMs: readCount('--latency', options.latency),
    ...(pageCap === undefined ? {} : { pageCap: readCount('--page-cap', pageCap, 1) }),
    ...(options.live === true ? { tickEveryMs: 5_000 } : {}),
    ...(state === undefined ? {} : { since: readBeginning(state) }),
    dialect: { ...(options.weird === true ? WEIRD : PLAIN), ...readDialect(options.dialect ?? []) },
  };
  try {
    return await startSimulator({ ...simulated, port, timezone, host, admin: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code !== 'string') throw error;
    throw new UsageError(`port ${port} of ${host} is not available (${code}); see --port and --host`);
  }
}

/**
 * When the shop of a state file began: now, if there is no such file yet. All else follows from the options and the time
 * passed.
 */
function readBeginning(path: string): Temporal.Instant {
  try {
    const began = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
    if (began !== '') return Temporal.Instant.from(began);
    const now = Temporal.Now.instant();
    writeFileSync(path, `${now.toString()}\n`);
    return now;
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError(`--state ${path} does not contain a time; name a new file`);
    throw new UsageError(`--state ${path} can be neither read nor created; check its folder and permissions`);
  }
}

/** Environment variables for using this shop with the other commands. */
export function shopSettings(simulator: Simulator, timezone: string): Record<string, string> {
  return {
    // Differs from the default, so that it never mixes with a real shop's orders.
    SHOP_KEY: 'simulated',
    SHOP_URL: simulator.url,
    SHOP_LOGIN: 'admin',
    SHOP_API_KEY: 'simulated-key',
    SHOP_TIMEZONE: timezone,
    SHOP_MAX_RPS: '1000',
  };
}

const readCount = (name: string, given: string, min = 0, max = 10_000_000) =>
  readAs(integer(min, max), given, name);

function readDialect(given: readonly string[]): Partial<Dialect> {
  const read = given.map((text) => {
    const [name = '', value = ''] = text.split('=');
    try {
      return readSwitch(name, value);
    } catch (error) {
      throw new UsageError(`--dialect ${text}: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  });
  return Object.assign({}, ...read);
}
