import type { Db } from '../../../src/warehouse/db/database.ts';

/** A database that loses its connection at the end of the transaction of this number: nothing of it is kept. */
export function failingAt(db: Db, at: number): Db {
  let transactions = 0;
  const transaction: Db['transaction'] = (work, config) => {
    transactions += 1;
    const isFailing = transactions === at;
    return db.transaction(async (tx) => {
      const result = await work(tx);
      if (isFailing) throw new Error('the connection to the database broke');
      return result;
    }, config);
  };
  return new Proxy(db, {
    get: (target, key) => (key === 'transaction' ? transaction : Reflect.get(target, key, target)),
  });
}
