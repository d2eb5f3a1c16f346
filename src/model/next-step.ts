/**
 * Every command that a text suggests. Texts take commands from this table only, so
 * that a test can follow each of them.
 */
const COMMANDS = {
  'load shop': 'backfill [--shop SHOP]',
  'load again': 'backfill --force [--shop SHOP]',
  'accept deletions': 'backfill --force --accept-missing [--shop SHOP]',
  'sync due days': 'sync [--shop SHOP]',
  'keep synced': 'worker',
  compare: 'verify [--shop SHOP]',
  repair: 'verify --repair [--shop SHOP]',
  'check shop': 'check [--shop SHOP]',
  'show status': 'status --shop SHOP',
  'list rejections': 'rejections [--shop SHOP]',
  'replay payloads': 'replay [--shop SHOP]',
  'replace guest keys': 'replay --rekey [--shop SHOP]',
  'erase again': 'forget --shop SHOP ...',
  'list fields': 'fields [--shop SHOP]',
  'show field': 'fields show FIELD --shop SHOP',
  'hide field': 'fields hide FIELD --shop SHOP',
  'list statuses': 'statuses --shop SHOP',
  'classify status': 'statuses set CODE --stage STAGE --shop SHOP',
  'name payment': 'statuses set CODE --payment --name NAME --shop SHOP',
  'pause shop': 'shops pause SHOP',
  'resume shop': 'shops resume SHOP',
  'preview deletion': 'shops delete SHOP',
  'finish deletion': 'shops delete SHOP --yes',
  'correct zone': 'shops set-timezone SHOP NEW',
  'list views': 'sql --views',
  'ask a query': 'sql "SELECT …"',
  'ask for fields': `sql --pii "SELECT fields FROM order_contacts WHERE shop = 'SHOP' AND fields IS NOT NULL"`,
  'write settings': 'init',
  'try without shop': 'demo',
  'ask the demo':
    'sql --demo "SELECT order_date, currency, orders, revenue FROM daily_sales ORDER BY 1 DESC LIMIT 9"',
  'list demo views': 'sql --demo --views',
  'apply migrations': 'migrate',
} as const;
export type NextStep = keyof typeof COMMANDS;

export const NEXT_STEPS: Readonly<Record<NextStep, string>> = COMMANDS;

/** What a command is about: the key of its shop, a field or code, the new key or zone. */
type Subject = { readonly shop?: string; readonly field?: string; readonly to?: string };

/** A command to type, such as `order-sync check --shop north`; what is not known stays in capitals, for people to fill in. */
export function nextStep(step: NextStep, { shop, field, to }: Subject = {}): string {
  const command = COMMANDS[step]
    .replace(/ \[(.*)\]/, shop === undefined ? '' : ' $1')
    .replace(/\bSHOP\b/, () => shop ?? 'SHOP')
    .replace(/\bFIELD\b/, () => field ?? 'KEY')
    .replace(/\bNEW\b/, () => to ?? 'NEW');
  return `order-sync ${command}`;
}
