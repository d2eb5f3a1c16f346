/** What the webhook gets: the form that the service behind it shows. */

/** `json` is for Mattermost and for programs; `slack` is the text alone, and `teams` an adaptive card. */
export type AlertFormat = 'json' | 'slack' | 'teams';

export type AlertNote = {
  /** The same whenever the message is sent again. */
  readonly id: string;
  readonly shop: string | null;
  readonly cause: string | null;
  readonly event: 'raised' | 'recovered' | 'test';
  /** When the cause was found, or was over. */
  readonly at: string;
  /** A sentence for people. */
  readonly text: string;
};

/** Hosts of services that take only one form. */
const HOSTS: readonly (readonly [host: RegExp, format: AlertFormat])[] = [
  [/(^|\.)(logic\.azure\.com|powerplatform\.com|powerautomate\.com)$/, 'teams'],
  [/^(hooks\.slack(-gov)?\.com|chat\.googleapis\.com)$|\.webhook\.office\.com$/, 'slack'],
];

export function detectFormat(url: string): AlertFormat {
  const { hostname } = new URL(url);
  return HOSTS.find(([host]) => host.test(hostname))?.[1] ?? 'json';
}

export function alertBody(note: AlertNote, format: AlertFormat): string {
  return JSON.stringify(BODIES[format](note));
}

const BODIES: Readonly<Record<AlertFormat, (note: AlertNote) => object>> = {
  json: (note) => note,
  slack: ({ text }) => ({
    text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  }),
  teams: (note) => ({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: adaptiveCard(note) }],
  }),
};

function adaptiveCard({ at, cause, event, shop, text }: AlertNote) {
  const facts = [
    ['Shop', shop],
    ['Cause', cause],
    ['Event', event],
    ['Time', at],
  ] as const;
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text, wrap: true },
      { type: 'FactSet', facts: facts.flatMap(([title, value]) => (value ? { title, value } : [])) },
    ],
  };
}
