/** Examples and settings in the help of each command. */
import type { Command } from 'commander';

import { HELP } from './help-texts.ts';
import { SETTING_MEANINGS } from './setting-meanings.ts';

/** Adds them to all commands of the program. */
export function addHelp(program: Command, path = ''): void {
  for (const command of program.commands) {
    const name = `${path} ${command.name()}`.trim();
    const text = helpText(name);
    if (text !== '') command.addHelpText('after', text);
    addHelp(command, name);
  }
}

function helpText(name: string): string {
  const { examples = [], settings = [] } = HELP[name] ?? {};
  const width = Math.max(0, ...settings.map((setting) => setting.length));
  const lines = [
    ...(examples.length > 0 ? ['', 'Examples:'] : []),
    ...examples.flatMap(([line, meaning]) => [`  ${line}`, `      ${meaning}`]),
    ...(settings.length > 0 ? ['', 'Settings (environment variables, or lines of order-sync.env):'] : []),
    ...settings.map((setting) => `  ${setting.padEnd(width)}  ${SETTING_MEANINGS[setting]}`),
  ];
  return lines.join('\n');
}
