import type { Client, Connection, FieldDef, Submittable } from 'pg';

/** A column of a result, as the server describes it: its name, the OID of its type, and the type's modifier; -1: none. */
export type DescribedColumn = Pick<FieldDef, 'name' | 'dataTypeID' | 'dataTypeModifier'>;

/**
 * Asks the server which columns a statement returns, without running it. The protocol takes one statement only.
 *
 * @returns undefined for a statement that returns no rows
 * @throws DatabaseError for what is not a single valid statement
 */
export async function describeQuery(client: Client, text: string) {
  const description = new Description(text);
  client.query(description);
  return await description.columns;
}

/** What pg hands the server's messages to. */
class Description implements Submittable {
  readonly columns: Promise<readonly DescribedColumn[] | undefined>;
  readonly #text: string;
  readonly #outcome = Promise.withResolvers<readonly DescribedColumn[] | undefined>();
  #described: readonly DescribedColumn[] | undefined;

  constructor(text: string) {
    this.#text = text;
    this.columns = this.#outcome.promise;
  }

  submit(connection: Connection): void {
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly DescribedColumn[] }): void {
    this.#described = fields;
  }

  handleError(error: Error): void {
    this.#outcome.reject(error);
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve(this.#described);
  }
}
