import { type Describing, JSON_OF_SEVERAL } from '../../describing.ts';

/** The life of a shop in the warehouse. */
export function describeShops({ context, finish, add }: Describing): void {
  const shops = add('shops', 'list the shops of the warehouse; retire, restore, rename or delete one')
    .option('--json', JSON_OF_SEVERAL)
    .action(async () => finish(await (await import('./shops.ts')).shopsCommand(context)));
  shops
    .command('retire <key>')
    .description('stop syncing a shop, and leave what was loaded')
    .action(async (key: string) =>
      finish(await (await import('./shops-change.ts')).retireCommand(context, key)),
    );
  shops
    .command('restore <key>')
    .description('sync a retired shop again')
    .action(async (key: string) =>
      finish(await (await import('./shops-change.ts')).restoreCommand(context, key)),
    );
  shops
    .command('rename <key> <new-key>')
    .description('give a shop another key')
    .action(async (key: string, newKey: string) =>
      finish(await (await import('./shops-change.ts')).renameCommand(context, key, newKey)),
    );
  shops
    .command('set-timezone <key> <zone>')
    .description("change the zone of a shop's times, and recompute them from what is kept in raw")
    .action(async (key: string, zone: string) =>
      finish(await (await import('./shops-set-timezone.ts')).setTimezoneCommand(context, key, zone)),
    );
  shops
    .command('delete <key>')
    .description('delete a shop with everything that was loaded from it')
    .option('--yes', 'without this, only say what would be deleted')
    .action(async (key: string, options: { readonly yes?: boolean }) =>
      finish(await (await import('./shops-delete.ts')).deleteCommand(context, key, options)),
    );
}
