/**
 * The schemas of the views, and column types that several of them share. `drizzle/views` defines the views; the files of
 * this folder type what tests read of them.
 */
import { bigint, boolean, date, integer, numeric, pgSchema, text } from 'drizzle-orm/pg-core';

export const bi = pgSchema('bi');
export const biPii = pgSchema('bi_pii');

export const count = (name: string) => bigint(name, { mode: 'number' }).notNull();
export const flag = (name: string) => boolean(name).notNull();
export const total = (name: string) => numeric(name, { precision: 16, scale: 2 }).notNull();
export const average = (name: string) => numeric(name, { precision: 16, scale: 2 });
export const duration = (name: string) => numeric(name, { precision: 12, scale: 2 });
/** ISO date. */
export const day = (name: string) => date(name, { mode: 'string' });
/** What every view begins with. */
export const shop = () => ({ shop_id: integer('shop_id').notNull(), shop: text('shop').notNull() });
