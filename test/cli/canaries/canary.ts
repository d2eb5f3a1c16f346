/** What must not show: secrets and a person, in texts that occur nowhere else. */

export const SECRETS = {
  apiKey: 'kq7-Vexlinger-Key',
  databasePassword: 'pw5-Drummbold-Pass',
  guestSecret: 'gs3-Ostrawitz-Salt',
  webhookToken: 'wt9-Hakenfurt-Token',
  opsPassword: 'op2-Mirakel-Door',
};

export const PERSON = {
  name: 'Wilhelmine Zwackelmann',
  email: 'w.zwackelmann@canary.example',
  phone: '+49 151 2398 7654',
  address: 'Quittenweg 77, 04229 Birnstadt',
};

/** All of the person at once, as an error page of a shop may show it. */
export const PORTRAIT = Object.values(PERSON).join('; ');

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Parts by which each is recognized, in whatever form it shows. */
const TRACES = [
  ...Object.values(SECRETS).flatMap((secret) => [
    secret.split('-')[1] ?? secret,
    base64(secret).slice(2, -4),
  ]),
  base64(`admin:${SECRETS.apiKey}`),
  'zwackelmann',
  'canary.example',
  '2398 7654',
  '23987654',
  'quittenweg',
  'birnstadt',
].map((trace) => trace.toLowerCase());

/** The canaries in a text, each with what stands around it. */
export function findCanaries(text: string): readonly string[] {
  const searched = text.toLowerCase();
  return TRACES.flatMap((trace) => {
    const at = searched.indexOf(trace);
    return at < 0 ? [] : [text.slice(Math.max(0, at - 160), at + trace.length + 60)];
  });
}
