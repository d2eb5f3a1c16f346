import { Command, CommanderError } from 'commander';

import { VERSION } from '../../model/program.ts';
import { withConfig } from '../settings-file.ts';
import { addCommands } from './commands.ts';
import { type CliContext, EXIT, type ExitCode, type Flags, type ProcessContext } from '../output/io.ts';
import { printFailure, reportError } from '../output/describe-error.ts';

/** Runs one command line. @param args without the program's name, such as `['sync', '--json']` */
export async function runCommandLine(
  processContext: ProcessContext,
  args: readonly string[],
): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const json = args.includes('--json');
  const flags: Flags = { debug: false, json, quiet: false, command: '' };
  const context: CliContext = { ...processContext, flags };
  const program = describeProgram(context);
  addCommands(program, withConfig(context), context, (result) => {
    code = result;
  });
  program.hook('preAction', (_program, command) => {
    const isJson = json || command.opts()['format'] === 'json';
    const ofAll = program.opts<Partial<Flags>>();
    Object.assign(flags, { ...ofAll, json: isJson, command: commandPath(command) });
  });
  try {
    if (mayPrintHelp(args)) (await import('./help.ts')).addHelp(program);
    await program.parseAsync(args.includes('sql') ? args.map(asOperand) : [...args], { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(context, error);
    if (error.exitCode === 0) return EXIT.done;
    // For people, Commander has printed it.
    if (json) printFailure(context, null, error.message, 'failed');
    return EXIT.usage;
  }
}

/** A command by itself may be one of those that only have others below them. */
const mayPrintHelp = (args: readonly string[]) =>
  args.length < 2 || args.some((arg) => ['-h', '--help', 'help'].includes(arg));

/** A query may begin with a comment, which is no option: those have no space in their names. */
const asOperand = (arg: string) => (/^--[^=\s]*\s/.test(arg) ? ` ${arg}` : arg);

/** `shops pause` */
function commandPath(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${commandPath(parent)} ${command.name()}` : command.name();
}

/** Of help that goes to a file or another program. */
const HELP_COLUMNS = 80;

function describeProgram({ io }: CliContext): Command {
  return new Command('order-sync')
    .description("Keeps an exact, analysable copy of a shop's orders in PostgreSQL.")
    .version(VERSION)
    .option('--config <file>', 'the settings file; default: ORDER_SYNC_CONFIG, else order-sync.env')
    .option('--quiet', 'print results and errors only: no progress, notes or logs')
    .option('--debug', 'show the stack trace of an error')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      getOutHelpWidth: () => io.outColumns() ?? HELP_COLUMNS,
      getErrHelpWidth: () => io.columns(),
    })
    .showHelpAfterError('(order-sync --help shows the commands)');
}
