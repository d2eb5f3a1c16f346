/** Order and payment status: how common each is at an order's age, and what follows what. */
import type { Random } from './random.ts';

export type PayStatus = 'S' | 'HP' | 'FP';
type Weights = readonly (readonly [code: string, weight: number])[];

/** Weights by age; the last bracket is for everything older. */
const BY_AGE: readonly { readonly maxHours: number; readonly weights: Weights }[] = [
  { maxHours: 2, weights: weights('U22 A50 N14 G8 -6') },
  { maxHours: 24, weights: weights('U9 A25 N22 G12 P12 S5 O2 V4 Z2 F5 -2') },
  { maxHours: 96, weights: weights('U2 A6 N10 G6 P14 S12 O20 M8 V3 Z3 F8 C6 R1 K1 -1') },
  { maxHours: 336, weights: weights('U0.6 A1 N1.5 G0.8 P2 S3 O14 M10 V1 Z2 F12 C43 Q5 R2 K2 -0.8') },
  {
    maxHours: Infinity,
    weights: weights('U0.4 A0.2 N0.2 G0.1 P0.1 S0.2 O0.8 M0.6 V0.4 Z0.5 F14 C75 Q4 R2.5 K2 -0.5'),
  },
];

/** Codes a shop may have invented: other letters, digits only, a word. */
const CUSTOM_CODES = ['X1', '17', 'ОЖ', 'wait', 'Y'];
const CUSTOM_SHARE = 0.12;

/** What an order in a status may become; a status that is not here is final. */
const NEXT: Readonly<Record<string, Weights>> = {
  '': weights('A9 F1'),
  U: weights('A8 F2'),
  A: weights('N8 G1 V1 F1'),
  N: weights('P8 Z1 F1'),
  G: weights('P9 F1'),
  V: weights('N8 F2'),
  Z: weights('N8 F2'),
  P: weights('S1'),
  S: weights('O1'),
  O: weights('C6 M3 K1'),
  M: weights('C9 R1'),
  C: weights('Q1'),
};

/** @param ageHours hours since the order was placed */
export function statusAtAge(random: Random, ageHours: number, isCustomUsed: boolean): string {
  if (isCustomUsed && random.chance(CUSTOM_SHARE)) return random.pick(CUSTOM_CODES);
  const bracket = BY_AGE.find(({ maxHours }) => ageHours < maxHours);
  return random.weighted(bracket?.weights ?? []);
}

/** Undefined for a final status and for one that the shop invented. */
export function nextStatus(random: Random, status: string): string | undefined {
  const choices = NEXT[status];
  return choices === undefined ? undefined : random.weighted(choices);
}

export function payStatusOf(random: Random, status: string): PayStatus {
  if (status === '' || status === 'U') return 'S';
  if ('CQRK'.includes(status)) return random.chance(0.97) ? 'FP' : 'HP';
  if (status === 'F') return random.chance(0.85) ? 'S' : 'FP';
  if ('SOM'.includes(status)) return random.weighted(payWeights(0.4, 0.1));
  return random.weighted(payWeights(0.65, 0.1));
}

function payWeights(unpaid: number, partly: number): readonly (readonly [PayStatus, number])[] {
  return [
    ['S', unpaid],
    ['HP', partly],
    ['FP', 1 - unpaid - partly],
  ];
}

/** Reads `A25 F0.5 -2`; `-` stands for the empty code, which means "no status". */
function weights(text: string): Weights {
  return text.split(' ').map((part) => {
    const code = part.startsWith('-') ? '' : part.slice(0, 1);
    return [code, Number(part.slice(1))] as const;
  });
}
