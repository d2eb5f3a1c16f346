import { type Command, Option } from 'commander';

import { ORDER_STAGES } from '../../../order-stages.ts';
import { type Describing, JSON_OF_SEVERAL } from '../../describing.ts';

/** What only the owner of the warehouse can say. */
export function describeOwner({ context, finish, add }: Describing): void {
  const addForStored = (name: string, description: string) =>
    add(name, description)
      .option('--shop <key>', 'one shop of the warehouse; a list without it is of all')
      .option('--json', JSON_OF_SEVERAL);
  const fields = addForStored('fields', 'list the extra order fields; show or hide one in bi').action(
    async (options) => finish(await (await import('./fields.ts')).fieldsCommand(context, options)),
  );
  for (const [name, description] of [
    ['show', 'show all values of a field in bi'],
    ['hide', 'show no value of a field in bi'],
  ] as const) {
    fields
      .command(`${name} <field>`)
      .description(description)
      .action(async (key: string, _options, command: Command) => {
        const { fieldChangeCommand } = await import('./fields-change.ts');
        finish(await fieldChangeCommand(context, key, name === 'show', command.optsWithGlobals()));
      });
  }
  const statuses = addForStored('statuses', 'list the status codes; say what one means').action(
    async (options) => finish(await (await import('./statuses.ts')).statusesCommand(context, options)),
  );
  statuses
    .command('set <code>')
    .description('say what a status code means, for past orders too')
    .addOption(
      new Option('--stage <stage>', 'stage of its orders; also decides whether they are sales').choices(
        ORDER_STAGES,
      ),
    )
    .option('--sale', 'its orders are sales; default for open, fulfilment, delivered')
    .option('--no-sale', 'its orders are no sales')
    .option('--name <name>', 'name in reports; an empty one restores the first')
    .option('--stage-order <number>', 'place in sorted reports; documented codes: 0 to 15')
    .option('--add', 'add the code if no order has had it')
    .option('--payment', 'it is a payment code, which has a name only')
    .action(async (code: string, _options, command: Command) => {
      const { setStatusCommand } = await import('./statuses-set.ts');
      finish(await setStatusCommand(context, code, command.optsWithGlobals()));
    });
}
