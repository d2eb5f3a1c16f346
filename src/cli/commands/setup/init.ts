import { confirm, log, password, spinner, text } from '@clack/prompts';
import type { ZodType } from 'zod';

import { COMMON_SETTINGS, OWN_SETTINGS, SETTING_NAMES } from '../../../config/settings.ts';
import { isUnencrypted, type ShopConfig } from '../../../config/shop-config.ts';
import { ConfigError, isRefusal, TerminalError, TransientError, UsageError } from '../../../model/errors.ts';
import { grouped, sentence } from '../../../model/amount-text.ts';
import { clockSkewText, guessZone, placedText } from '../../../plan/clock/clock-skew.ts';
import { unknownProfile } from '../../../shop-api/paging/request-page.ts';
import { estimateRest, learnApi, newestListed } from '../../../sync/report/learn-api.ts';
import { listedClockSkew } from '../../../sync/sweep/clock-warning.ts';
import { openDatabase } from '../../../warehouse/db/database.ts';
import { openBriefly } from '../../each-shop.ts';
import type { CommandOptions } from '../../options.ts';
import { nextCommand } from '../../output/command-name.ts';
import { describeError } from '../../output/describe-error.ts';
import { loadText } from '../../output/describe-sweep.ts';
import { type CliContext, EXIT, type ExitCode } from '../../output/io.ts';
import { print } from '../../output/layout.ts';
import { assertWritable, findConfigFile, isUsualFile, writeConfigFile } from '../../settings-file.ts';
import { otherSettings, shopAt, shopsOf, tryAddress, withScheme } from './try-address.ts';

type Settings = Readonly<Record<string, string>>;

/** The person pressed Ctrl-C. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/**
 * `init`: asks for the settings of a shop, or takes them from the environment, tries them, and writes them to the file
 * that every other command then reads. Until the shop has accepted them nothing is written.
 */
export async function initCommand(
  context: CliContext,
  { fromEnv, force = false }: CommandOptions<never, 'fromEnv' | 'force'>,
): Promise<ExitCode> {
  const { path } = findConfigFile(context);
  await assertWritable(path, force);
  let settings: Settings;
  try {
    settings = await (fromEnv === true ? takeFromEnvironment(context, force) : ask(context));
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    context.io.err('Nothing was written.\n');
    return EXIT.interrupted;
  }
  await writeConfigFile(path, settings);
  const hasDatabase = 'DATABASE_URL' in settings || 'DATABASE_URL_FILE' in settings;
  const usedBy = isUsualFile(path, context)
    ? 'in this folder use it'
    : 'use it with --config, or while ORDER_SYNC_CONFIG names it';
  print(context, [
    `Wrote ${path}, which only you can read. Commands ${usedBy}.`,
    ...(hasDatabase ? [] : [EMBEDDED]),
    `Reports hide the extra fields of the order form until you show them: ${nextCommand(context, 'list fields')}.`,
    `Next: ${nextCommand(context, 'load shop')}`,
  ]);
  return EXIT.done;
}

const EMBEDDED =
  'Orders go to an embedded PostgreSQL in .order-sync/; add DATABASE_URL to the file to use another.';

/** What the shop may want while it is tried, and in every run thereafter. */
const KEPT = /^(SHOP_|DATABASE_)/;

/** Asks until the shop lets us in. @throws Cancelled */
async function ask(context: CliContext): Promise<Settings> {
  if (!context.isInteractive) {
    throw new UsageError(
      'init asks questions, so it needs a terminal; --from-env takes the answers from the environment',
    );
  }
  const { signal } = context;
  const others = otherSettings(context.env);
  let { SHOP_URL: url = '', SHOP_LOGIN: login = '' } = context.env;
  for (let isKnown = false; ;) {
    if (!isKnown) url = await askForAddress(url, others['SHOP_ALLOW_HTTP']);
    const shop = shopAt(url, others);
    try {
      if (!isKnown) await showing('Trying the address', () => tryAddress(shop, signal));
      isKnown = true;
      login = await askFor('login', 'Administrator login of its API', { initialValue: login });
      const secret = { message: 'API key of that login', validate: validator('apiKey') };
      const apiKey = answer(await password(secret));
      const newest = await showing('Looking for the newest order', () =>
        readNewest({ ...shop, login, apiKey }, signal),
      );
      const timezone = await chooseZone(newest, new URL(url).hostname);
      const known = { ...shop, login, apiKey, timezone };
      log.success(await showing('Learning how the shop answers', () => describeShop(known, signal)));
      const initialValue = context.env['SHOP_KEY'] ?? keyOf(url);
      const key = await askFor('key', 'Short name of the shop, in reports and commands', { initialValue });
      const own = { SHOP_KEY: key, SHOP_URL: url, SHOP_LOGIN: login };
      const access = { SHOP_API_KEY: apiKey, SHOP_TIMEZONE: timezone };
      return { ...withNames(others, KEPT), ...own, ...access, ...(await askForDatabase(others)) };
    } catch (error) {
      if (!(error instanceof TerminalError || error instanceof TransientError)) throw error;
      log.error(describeError(error).text);
      isKnown = isRefusal(error);
    }
  }
}

/** @param given the answer to begin with */
async function askForAddress(given: string, allowHttp: string | undefined): Promise<string> {
  const validate = (value = '') => {
    const url = withScheme(value);
    const problem = validator('url')(url);
    if (problem !== undefined || !isUnencrypted({ url, allowHttp })) return problem;
    return 'The API key would travel unencrypted: use https, or set SHOP_ALLOW_HTTP=true before.';
  };
  const placeholder = 'https://shop.example';
  return withScheme(
    await askFor('url', 'Address of the shop', { placeholder, initialValue: given, validate }),
  );
}

/** `north` for `https://www.north.example`. */
function keyOf(url: string): string {
  const [label = ''] = new URL(url).hostname.replace(/^www\./, '').split('.');
  return /^[a-z]/.test(label) && label !== 'localhost' ? label : 'default';
}

/** Asks until a database is reached, or none is wanted; not at all where one is set. @throws Cancelled */
async function askForDatabase(env: CliContext['env']): Promise<Settings> {
  if (Object.keys(withNames(env, /^DATABASE_URL(_FILE)?$/)).length > 0) return {};
  const message =
    'DATABASE_URL of a PostgreSQL, postgres://USER:PASSWORD@HOST:5432/DATABASE; leave it empty for an embedded one';
  const validate = (value = '') => issueOf(COMMON_SETTINGS.databaseUrl, value.trim() || undefined);
  for (;;) {
    // It may hold a password.
    const url = answer(await password({ message, validate }));
    if (url === '') return {};
    try {
      await using _reached = await showing('Trying the database', () => openDatabase(url, 1));
      return { DATABASE_URL: url };
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      log.error(describeError(error).text);
    }
  }
}

/** Asks until what follows for the newest order is right. @throws Cancelled */
async function chooseZone(newest: Temporal.PlainDateTime | undefined, host: string): Promise<string> {
  const now = Temporal.Now.instant();
  const guess = guessZone(newest, now, host);
  for (;;) {
    const timezone = await askFor('timezone', "Time zone that the shop's orders are dated in", {
      placeholder: 'such as Europe/Moscow',
      ...(guess === undefined ? {} : { initialValue: guess }),
    });
    const said = placedText(newest, now, timezone);
    if (said === undefined) return timezone;
    // The default is no, so that somebody who confirms without reading is asked again.
    const right = await confirm({ message: `${said}. Right?`, initialValue: false });
    if (typeof right === 'symbol') throw new Cancelled('cancelled');
    if (right) return timezone;
  }
}

type PromptOptions = Omit<Parameters<typeof text>[0], 'message'>;

/** @throws Cancelled */
async function askFor(
  name: keyof typeof OWN_SETTINGS,
  message: string,
  options: PromptOptions,
): Promise<string> {
  return answer(await text({ message, validate: validator(name), ...options }));
}

/** What is left empty is no text at all. */
function answer(given: string | symbol | undefined): string {
  if (typeof given === 'symbol') throw new Cancelled('cancelled');
  return given?.trim() ?? '';
}

/** @returns says what is wrong with an answer, as a sentence */
function validator(name: keyof typeof OWN_SETTINGS) {
  return (value = ''): string | undefined =>
    value.trim() === '' ? 'An answer is needed here.' : issueOf(OWN_SETTINGS[name], value.trim());
}

function issueOf(type: ZodType, given: string | undefined): string | undefined {
  const issue = type.safeParse(given).error?.issues[0];
  return issue && sentence(`This ${issue.message}`);
}

/** Secrets that are files stay files. @param isForced a time zone is taken even where another one fits */
async function takeFromEnvironment(context: CliContext, isForced: boolean): Promise<Settings> {
  const { env, io, signal } = context;
  const settings = withNames(env, new RegExp(`^(${SETTING_NAMES.join('|')})(_FILE)?$`));
  for (const shop of shopsOf(env)) {
    // What is wrong with an address is known at once: by one request, which is not repeated.
    await tryAddress(shop, signal);
    const newest = await readNewest(shop, signal);
    const skew = await listedClockSkew(openBriefly(shop), shop, Temporal.Now.instant(), signal);
    if (skew !== undefined) {
      const warning = clockSkewText(skew, shop.timezone);
      // Where no other zone fits, it is a clock that is wrong.
      const isZoneWrong = skew.fittingOffset !== undefined;
      if (isZoneWrong && !isForced) throw new ConfigError([`${warning}; --force uses it anyway`]);
      io.err(`Warning: ${warning}.\n`);
    }
    const said = placedText(newest, Temporal.Now.instant(), shop.timezone);
    print(context, [`${await describeShop(shop, signal)}${said === undefined ? '' : ` ${said}.`}`]);
  }
  return settings;
}

/** When the newest order was placed, in the shop's own time. */
const readNewest = (shop: ShopConfig, signal: AbortSignal) =>
  newestListed(openBriefly(shop), shop.pageLimit, Temporal.Now.instant(), signal);

/** What the shop holds, and what a first load takes. @throws where the shop does not let us in */
async function describeShop(shop: ShopConfig, signal: AbortSignal): Promise<string> {
  const api = openBriefly(shop);
  const today = Temporal.Now.zonedDateTimeISO(shop.timezone).toPlainDate();
  const findings = await learnApi(api, shop, unknownProfile(shop.pageLimit), today, signal);
  const since = `its first order is of ${findings.historyFrom.toString()}`;
  const estimate = estimateRest(findings, api.health, 0);
  if (estimate === undefined)
    return `The shop accepts the login, but does not say how many orders it has; ${since}.`;
  return (
    `The shop accepts the login. It has ${grouped(estimate.orders)} orders; ${since}. ` +
    `A first load takes ${loadText(estimate)}, at up to ${shop.maxRps} requests a second.`
  );
}

/** Those that are set. */
function withNames(env: CliContext['env'], names: RegExp): Settings {
  const found = Object.entries(env).flatMap(([name, value = '']) =>
    names.test(name) && value.trim() !== '' ? [[name, value.trim()] as const] : [],
  );
  return Object.fromEntries(found);
}

async function showing<Result>(message: string, work: () => Promise<Result>): Promise<Result> {
  const shown = spinner();
  shown.start(message);
  try {
    return await work();
  } finally {
    shown.clear();
  }
}
