/** Copies of views of orders, kept up to date by the recipe in docs/bi.md. */
import { readFile } from 'node:fs/promises';

import { sql } from 'drizzle-orm';

import { sqlOf } from '../docs/answers.ts';
import { inRepository } from '../docs/markdown.ts';
import type { TestWarehouse } from '../warehouse/test-warehouse.ts';

export type Copies = {
  /** @returns how many orders were read */
  bringUpToDate(): Promise<number>;
  /** Rows that a copy has and its view has not, or the other way around; the age of an order is the time's alone. */
  differences(): Promise<readonly unknown[]>;
};

/** The age of an order is the time's alone. */
const OF_THE_CLOCK = `- 'age_days'`;

/** Copies views of `bi` whole. */
export async function openCopies(
  { db }: Pick<TestWarehouse, 'db'>,
  views: readonly string[],
): Promise<Copies> {
  const recipe = sqlOf(await readFile(inRepository('docs/bi.md'), 'utf8')).filter((text) =>
    text.includes('copies.'),
  );
  const [first = '', again = ''] = recipe;
  if (recipe.length !== 2) throw new Error('docs/bi.md has no recipe of two blocks');
  await db.execute(sql`CREATE SCHEMA copies`);
  for (const statement of forEach(first, views)) await db.execute(sql.raw(statement));
  return {
    async bringUpToDate() {
      const steps = forEach(again, views).filter((statement) => !/^(BEGIN|COMMIT)$/.test(statement));
      return db.transaction(async (tx) => {
        for (const step of steps) await tx.execute(sql.raw(step));
        return (await tx.execute(sql`SELECT FROM changed`)).rows.length;
      });
    },
    async differences() {
      const found = views.map(async (view) => {
        const [copy, now] = [`copies.${view}`, `bi.${view}`].map(
          (from) => `SELECT to_jsonb(v) ${OF_THE_CLOCK} AS row FROM ${from} v`,
        );
        const { rows } = await db.execute<{ row: unknown }>(
          sql.raw(`(${copy} EXCEPT ${now}) UNION ALL (${now} EXCEPT ${copy})`),
        );
        return rows.map(({ row }) => ({ view, row }));
      });
      return (await Promise.all(found)).flat();
    },
  };
}

/** The statements of the recipe, those about its example once for each view. */
function forEach(recipe: string, views: readonly string[]): readonly string[] {
  const statements = recipe.split(';').map((text) => text.trim());
  return statements
    .filter((text) => text !== '')
    .flatMap((text) =>
      text.includes('.payments') ? views.map((view) => text.replaceAll('.payments', `.${view}`)) : [text],
    );
}
