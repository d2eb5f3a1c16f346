/** Scripts that complete the command line, generated from the commands themselves. */
import type { Command, Option } from 'commander';

import { type CliContext, EXIT, type ExitCode } from '../../output/io.ts';
import { readConfiguredKeys } from '../../stored-shops.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** What may follow a word: words to choose from, a file, or the key of a configured shop. */
type Choice = readonly string[] | 'file' | 'shop' | 'anything';

type Place = {
  /** `''` for the program, `shops retire` for a command of a command. */
  readonly path: string;
  readonly words: readonly string[];
  /** Of its first argument. */
  readonly argument: Choice;
  readonly options: readonly { readonly flag: string; readonly meaning: string; readonly value: Choice }[];
};

/** @param program with all its commands */
function completionScript(shell: Shell, program: Command): string {
  const places = listPlaces(program, '', []);
  return shell === 'fish' ? fishScript(places) : bashScript(places, shell);
}

/** @param shared options of the commands above, which this one takes too */
function listPlaces(command: Command, path: string, shared: readonly Option[]): readonly Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const options = [...command.options, ...shared];
  const [argument] = command.registeredArguments;
  const place: Place = {
    path,
    words: commands.map((child) => child.name()),
    argument: argument?.argChoices ?? (argument?.name() === 'key' ? 'shop' : 'anything'),
    options: options.map((option) => ({
      flag: option.long ?? option.flags,
      meaning: option.description,
      value: valueOf(option),
    })),
  };
  const below = commands.flatMap((child) => listPlaces(child, `${path} ${child.name()}`.trim(), options));
  return [place, ...below];
}

function valueOf(option: Option): Choice {
  if (option.isBoolean() || (!option.required && !option.optional)) return [];
  if (option.long === '--shop') return 'shop';
  return option.argChoices ?? (/<(file|path)>/.test(option.flags) ? 'file' : 'anything');
}

/** Also for zsh: both know `case`, and only the lines that offer words differ. */
function bashScript(places: readonly Place[], shell: 'bash' | 'zsh'): string {
  const isBash = shell === 'bash';
  const offer = (words: string) =>
    isBash ? `COMPREPLY=($(compgen -W "${words}" -- "$current"))` : `compadd -- $(echo "${words}")`;
  const offers = (choice: Choice) => {
    if (choice === 'anything') return ':';
    if (choice === 'file') return isBash ? 'COMPREPLY=($(compgen -f -- "$current"))' : '_files';
    return offer(choice === 'shop' ? '$("$program" shop-keys 2>/dev/null)' : choice.join(' '));
  };
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`]));
  const taking = places.flatMap(({ path, options }) =>
    options
      .filter(({ value }) => value.length > 0)
      .map(({ flag, value }) => `    "${path} ${flag}") ${offers(value)}; return ;;`),
  );
  const choosing = places.map(({ path, words, argument, options }) => {
    const flags = options.map(({ flag }) => flag).join(' ');
    const free = words.length > 0 ? offer(words.join(' ')) : offers(argument);
    return `    "${path}") case "$current" in -*) ${offer(flags)} ;; *) ${free} ;; esac ;;`;
  });
  return [
    ...(isBash ? [] : ['#compdef order-sync']),
    '_order_sync() {',
    '  local at="" word program="$1" current before',
    ...(isBash
      ? [
          '  current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
          '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        ]
      : [
          '  program="$words[1]" current="$words[CURRENT]" before="$words[CURRENT-1]"',
          '  for word in "${(@)words[2,CURRENT-1]}"; do',
        ]),
    `    case "\${at:+$at }$word" in ${paths.join('|')}) at="\${at:+$at }$word" ;; esac`,
    '  done',
    '  case "$at $before" in',
    ...taking,
    '  esac',
    '  case "$at" in',
    ...choosing,
    '  esac',
    '}',
    isBash ? 'complete -F _order_sync order-sync' : 'compdef _order_sync order-sync',
    '',
  ].join('\n');
}

function fishScript(places: readonly Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const values = (choice: Choice) => {
    if (choice === 'file') return '-r -F';
    if (choice === 'anything') return '-x';
    if (choice === 'shop') return "-x -a '(order-sync shop-keys 2>/dev/null)'";
    return choice.length === 0 ? '' : `-x -a ${quoted(choice.join(' '))}`;
  };
  const lines = places.flatMap(({ path, words, argument, options }) => {
    const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const isHere = path === '' ? '__fish_use_subcommand' : seen.join('; and ');
    const line = (rest: string) => `complete -c order-sync -f -n ${quoted(isHere)} ${rest}`;
    return [
      ...(words.length > 0 ? [line(`-a ${quoted(words.join(' '))}`)] : []),
      ...(words.length === 0 && argument !== 'anything' ? [line(values(argument).replace('-x ', ''))] : []),
      ...options.map(({ flag, meaning, value }) =>
        line(`-l ${flag.slice(2)} ${values(value)} -d ${quoted(meaning)}`.replace('  ', ' ')),
      ),
    ];
  });
  return `${lines.join('\n')}\n`;
}

/** `completion`: prints the script; the help says where to put it. */
export function completionCommand(
  { io }: CliContext,
  shell: Shell,
  _options: object,
  own: Command,
): ExitCode {
  io.out(completionScript(shell, own.parent ?? own));
  return EXIT.done;
}

/** `shop-keys`: the keys of the configured shops, one per line. Reads the settings only. */
export function shopKeysCommand(context: CliContext): ExitCode {
  for (const key of readConfiguredKeys(context)) context.io.out(`${key}\n`);
  return EXIT.done;
}
