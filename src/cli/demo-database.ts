import { TerminalError, UsageError } from '../errors.ts';
import { openEmbedded } from '../embedded-postgres/open-embedded.ts';
import { type Database, openDatabase } from '../warehouse/db/database.ts';
import type { CliContext } from './output/io.ts';
import { nextStep } from '../next-step.ts';

/** A separate database, recreated each time, so that a demo never mixes with real orders; other demos beside it get others. */
export const DEMO_DATABASE = 'order_sync_demo';

/** Opens what the last `demo` left in the embedded database. @throws UsageError when there was none */
export async function openDemoDatabase(context: CliContext): Promise<Database> {
  await using opening = new AsyncDisposableStack();
  const embedded = opening.use(await openEmbedded({ directory: context.directory }));
  const url = new URL(embedded.url);
  url.pathname = `/${DEMO_DATABASE}`;
  const database = opening.use(await openExisting(url.href));
  const opened = opening.move();
  return { ...database, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function openExisting(url: string): Promise<Database> {
  try {
    return await openDatabase(url);
  } catch (error) {
    const isAbsent = error instanceof TerminalError && Reflect.get(Object(error.cause), 'code') === '3D000';
    throw isAbsent
      ? new UsageError(`there is no demo in this folder yet; ${nextStep('try without shop')} makes it`, {
          cause: error,
        })
      : error;
  }
}
