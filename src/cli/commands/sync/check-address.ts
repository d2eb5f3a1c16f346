import { withScheme } from '../setup/init-questions.ts';
import { nobodyAt, shopsOf, tryAddress } from '../setup/init-trial.ts';
import { type CliContext, EXIT, type ExitCode, printResult } from '../../output/io.ts';

const VERDICTS = {
  refuses: 'looks like such a shop: its API asks for a login',
  accepts: 'answers like such a shop, whatever the login',
  unclear: 'may be such a shop: what it answers without a login is not of its API',
} as const;

/**
 * `check URL`: whether an address looks like one of a shop of this platform. One request, without anybody's login.
 *
 * @throws TerminalError, TransientError when nothing answers there, or something else
 */
export async function checkAddress(context: CliContext, given: string): Promise<ExitCode> {
  const url = withScheme(given);
  const [shop] = shopsOf({ ...nobodyAt(url), SHOP_ALLOW_HTTP: 'true' });
  if (shop === undefined) throw new Error('no shop is configured');
  // Nothing was set yet.
  const settingNames = { where: url, names: { SHOP_URL: 'the address' } };
  const text = `${url} ${VERDICTS[await tryAddress({ ...shop, settingNames }, context.signal)]}.\n`;
  printResult(context, [{ shop: null, status: 'ok', error: null }], text);
  return EXIT.done;
}
