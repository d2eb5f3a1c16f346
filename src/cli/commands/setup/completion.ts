/** Scripts that complete the command line, generated from the commands themselves. */
import type { Command, Option } from 'commander';

import type { CliContext } from '../../output/io.ts';

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

/** @param path of the command */
function listPlaces(command: Command, path = ''): readonly Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const [argument] = command.registeredArguments;
  const options = [...command.options, ...help.visibleGlobalOptions(command)];
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
  return [place, ...commands.flatMap((child) => listPlaces(child, `${path} ${child.name()}`.trim()))];
}

function valueOf(option: Option): Choice {
  if (option.isBoolean() || (!option.required && !option.optional)) return [];
  if (option.long === '--shop') return 'shop';
  return option.argChoices ?? (/<(file|path)>/.test(option.flags) ? 'file' : 'anything');
}

const ASK_KEYS = 'shop-keys 2>/dev/null';

/** What differs between two shells that both know `case`. */
const BASH = {
  begin: `local at="" word program="$1" current before
  current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
  offer: (words: string) => `COMPREPLY=($(compgen -W "${words}" -- "$current"))`,
  files: 'COMPREPLY=($(compgen -f -- "$current"))',
  end: 'complete -F _order_sync order-sync',
};
const ZSH: typeof BASH = {
  begin: `local at="" word program current before
  program="$words[1]" current="$words[CURRENT]" before="$words[CURRENT-1]"
  for word in "\${(@)words[2,CURRENT-1]}"; do`,
  offer: (words) => `compadd -- $(echo "${words}")`,
  files: '_files',
  end: 'compdef _order_sync order-sync',
};

function caseScript(places: readonly Place[], { begin, offer, files, end }: typeof BASH): string {
  const offers = (choice: Choice) => {
    if (choice === 'anything') return ':';
    if (choice === 'file') return files;
    return offer(choice === 'shop' ? `$("$program" ${ASK_KEYS})` : choice.join(' '));
  };
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`]));
  const taking = places.flatMap(({ path, options }) =>
    options
      .filter(({ value }) => value.length > 0)
      .map(({ flag, value }) => `    "${path} ${flag}") ${offers(value)}; return ;;`),
  );
  const choosing = places.map(({ path, words, argument, options }) => {
    const flags = options.map(({ flag }) => flag).join(' ');
    const free = offers(words.length > 0 ? words : argument);
    return `    "${path}") case "$current" in -*) ${offer(flags)} ;; *) ${free} ;; esac ;;`;
  });
  return `#compdef order-sync
_order_sync() {
  ${begin}
    case "\${at:+$at }$word" in ${paths.join('|')}) at="\${at:+$at }$word" ;; esac
  done
  case "$at $before" in
${taking.join('\n')}
  esac
  case "$at" in
${choosing.join('\n')}
  esac
}
${end}
`;
}

function fishScript(places: readonly Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  // Of what is not a file, no files are offered; both are said of a line, not of the command.
  const offers = (choice: Choice) => {
    if (choice === 'file') return '-F';
    if (choice === 'shop') return `-f -a '(order-sync ${ASK_KEYS})'`;
    return choice === 'anything' || choice.length === 0 ? '-f' : `-f -a ${quoted(choice.join(' '))}`;
  };
  const needsValue = (choice: Choice) => (choice.length > 0 ? '-r ' : '');
  const lines = places.flatMap(({ path, words, argument, options }) => {
    const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const isHere = path === '' ? '__fish_use_subcommand' : seen.join('; and ');
    const line = (rest: string) => `complete -c order-sync -n ${quoted(isHere)} ${rest}\n`;
    return [
      line(offers(words.length > 0 ? words : argument)),
      ...options.map(({ flag, meaning, value }) =>
        line(`-l ${flag.slice(2)} ${needsValue(value)}${offers(value)} -d ${quoted(meaning)}`),
      ),
    ];
  });
  return lines.join('');
}

/** `completion`: prints the script; the help says where to put it. */
export function completionCommand({ io }: CliContext, shell: Shell, _options: object, own: Command): void {
  const places = listPlaces(own.parent ?? own);
  io.out(shell === 'fish' ? fishScript(places) : caseScript(places, shell === 'bash' ? BASH : ZSH));
}
