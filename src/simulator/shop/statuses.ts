/** Order and payment statuses: how common each is at an order's age, and what each may become. */
import type { Random } from './random.ts';

export type PayStatus = 'S' | 'HP' | 'FP';
type Weights = readonly (readonly [code: string, weight: number])[];

const BY_AGE: readonly { readonly maxHours: number; readonly weights: Weights }[] = [
  { maxHours: 2, weights: parseWeights('U22 A50 N14 G8 -6') },
  { maxHours: 24, weights: parseWeights('U9 A25 N22 G12 P12 S5 O2 V4 Z2 F5 -2') },
  { maxHours: 96, weights: parseWeights('U2 A6 N10 G6 P14 S12 O20 M8 V3 Z3 F8 C6 R1 K1 -1') },
  { maxHours: 336, weights: parseWeights('U0.6 A1 N1.5 G0.8 P2 S3 O14 M10 V1 Z2 F12 C43 Q5 R2 K2 -0.8') },
  {
    maxHours: Infinity,
    weights: parseWeights('U0.4 A0.2 N0.2 G0.1 P0.1 S0.2 O0.8 M0.6 V0.4 Z0.5 F14 C75 Q4 R2.5 K2 -0.5'),
  },
];

/** Codes a shop may have invented: other letters, digits only, a word. */
const CUSTOM_CODES = ['X1', '17', 'ОЖ', 'wait', 'Y'];
const CUSTOM_SHARE = 0.12;

/** What a status may become; one that is not listed is final. */
const NEXT: Readonly<Record<string, Weights>> = {
  '': parseWeights('A9 F1'),
  U: parseWeights('A8 F2'),
  A: parseWeights('N8 G1 V1 F1'),
  N: parseWeights('P8 Z1 F1'),
  G: parseWeights('P9 F1'),
  V: parseWeights('N8 F2'),
  Z: parseWeights('N8 F2'),
  P: parseWeights('S1'),
  S: parseWeights('O1'),
  O: parseWeights('C6 M3 K1'),
  M: parseWeights('C9 R1'),
  C: parseWeights('Q1'),
};

/** @param ageHours hours since the order was placed */
export function statusAtAge(random: Random, ageHours: number, hasCustomStatuses: boolean): string {
  if (hasCustomStatuses && random.chance(CUSTOM_SHARE)) return random.pick(CUSTOM_CODES);
  const bracket = BY_AGE.find(({ maxHours }) => ageHours < maxHours);
  return random.weighted(bracket?.weights ?? []);
}

/** Undefined after a final status or one that the shop invented. */
export function nextStatus(random: Random, status: string): string | undefined {
  const choices = NEXT[status];
  return choices === undefined ? undefined : random.weighted(choices);
}

export function pickPayStatus(random: Random, status: string): PayStatus {
  if (status === '' || status === 'U') return 'S';
  if ('CQRK'.includes(status)) return random.chance(0.97) ? 'FP' : 'HP';
  if (status === 'F') return random.chance(0.85) ? 'S' : 'FP';
  const unpaid = 'SOM'.includes(status) ? 0.4 : 0.65;
  return random.weighted<PayStatus>([
    ['S', unpaid],
    ['HP', 0.1],
    ['FP', 1 - unpaid - 0.1],
  ]);
}

/** Reads `A25 F0.5 -2`; `-` stands for the empty code, which means "no status". */
function parseWeights(text: string): Weights {
  return text.split(' ').map((part) => {
    const code = part.startsWith('-') ? '' : part.slice(0, 1);
    return [code, Number(part.slice(1))] as const;
  });
}
