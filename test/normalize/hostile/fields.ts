/** The documented fields of each resource, what they hold, and the columns that they fill. */

const KINDS = [
  ...(['id', 'own id', 'buyer', 'money', 'quantity', 'integer', 'text', 'trimmed', 'code', 'flag'] as const),
  ...(['discount', 'fields', 'created', 'clock', 'time', 'line oid', 'object', 'array'] as const),
];
export type FieldKind = (typeof KINDS)[number];

export type Field = { readonly name: string; readonly kind: FieldKind; readonly columns: readonly string[] };

/** `name kind column,column` per line; a kind of two words has a dash in it here. */
function fieldsOf(text: string): readonly Field[] {
  const rows = text.trim().split(/\s*\n\s*/);
  return rows.map((row) => {
    const [name = '', kind = '', columns = ''] = row.split(' ');
    return { name, kind: kindOf(kind), columns: columns.split(',').filter((column) => column !== '') };
  });
}

function kindOf(word: string): FieldKind {
  const kind = KINDS.find((known) => known.replace(' ', '-') === word);
  if (kind === undefined) throw new Error(`${word} is no kind of field`);
  return kind;
}

export const ORDER_FIELDS = fieldsOf(`
  order_id id order_id
  phone text buyer_phone
  email text buyer_email
  address text buyer_address
  comment text comment
  fio text buyer_name
  fields fields fields
  status code status_code
  pay_status code pay_status_code
  currency trimmed currency
  pay_method trimmed pay_method
  summ money order_sum
  count quantity item_count
  paid money paid_amount
  discount discount discount_raw,discount_percent
  delivery text delivery_name
  delivery_id id delivery_id
  delivery_price money delivery_price
  weight quantity weight
  master_oid buyer buyer_oid
  views integer views
  color trimmed color
  created created created_on,created_local,created_at
  updated time updated_local,updated_at
  time clock created_local,created_at
  hash text order_hash`);

export const LINE_FIELDS = fieldsOf(`
  oid line-oid line_oid,product_oid,spec_hash
  code text code
  name text product_name
  count quantity quantity
  price money unit_price
  total money line_total
  articul text sku
  discount discount discount_raw,discount_percent
  oldprice money list_price
  oldtotal money list_total`);

export const GROUP_FIELDS = fieldsOf(`
  oid id group_oid
  name text name
  url text url
  type flag type
  template text template
  visible flag visible
  parent_oid id parent_oid
  sort integer sort
  master_oid id owner_oid
  access flag access
  updated time updated_local
  created time created_local`);

export const USER_FIELDS = fieldsOf(`
  oid own-id user_oid
  parent_oid id group_oid
  visible flag visible
  master_oid id owner_oid
  access flag access
  updated time updated_local
  created time created_local,created_at
  content object content
  content.address text address
  content.email text email
  content.gender text gender
  content.images array images
  content.level integer level
  content.login text login
  content.name text name
  content.org_name text org_name
  content.phone text phone`);
