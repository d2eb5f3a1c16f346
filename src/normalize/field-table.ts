/** One table for each kind of record: its fields, and the columns they fill. */
import type { Parse } from './reading.ts';
import type { RecordReader } from './record-reader.ts';
import type { Rejection } from './rejection.ts';

export type Field<Row> = {
  /** How each column is parsed that the field alone fills; none where it takes other fields, too, or the shop's zone. */
  readonly fills: { readonly [Column in keyof Row]?: Parse<NonNullable<Row[Column]>> };
};

export type FieldTable<Row> = Readonly<Record<string, Field<Row>>>;

type AnyTable = Readonly<Record<string, { readonly fills: Readonly<Record<string, Parse<unknown>>> }>>;

type Fills<Table extends AnyTable> = Table[keyof Table]['fills'];

/** The columns that one field alone fills. */
type FilledColumn<Table extends AnyTable> =
  Fills<Table> extends infer One ? (One extends unknown ? keyof One & string : never) : never;

type Value<Fill, Column extends string> =
  Fill extends Readonly<Record<Column, Parse<infer Read>>> ? Read : never;

/** Columns as they were read: null where their field is absent, blank or refused. */
type Columns<Table extends AnyTable> = {
  readonly [Column in FilledColumn<Table>]: Value<Fills<Table>, Column> | null;
};

/** @returns a function that reads the columns of a record which one field alone fills */
export function columnReader<const Table extends AnyTable>(
  table: Table,
): (record: RecordReader<keyof Table & string>) => Columns<Table> {
  const steps = listFills(table);
  return (record) => {
    const read = steps.map(({ column, field, parse }) => [column, record.read(field, parse)]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries loses which column has which value
    return Object.fromEntries(read) as Columns<Table>;
  };
}

/** @returns a comparison that puts rejections into the order of the table, whatever was read first */
export function rejectionOrder(table: AnyTable): (one: Rejection, other: Rejection) => number {
  const places = new Map(Object.keys(table).map((field, place) => [field, place]));
  const place = ({ field }: Rejection) => places.get(field ?? '') ?? -1;
  return (one, other) => place(one) - place(other);
}

function listFills(table: AnyTable) {
  return Object.entries(table).flatMap(([field, { fills }]) =>
    Object.entries(fills).map(([column, parse]) => ({ column, field, parse })),
  );
}
