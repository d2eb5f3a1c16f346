/** Who orders: returning users, and guests. */
import type { LocalSeconds } from './shop-clock.ts';
import { Random } from './random.ts';
import type { SimOrder } from './sim-order.ts';
import {
  type Contact,
  GUEST_OID,
  countRegistered,
  makePerson,
  type ShopSpan,
  type SimUser,
} from './sim-users.ts';

type Buyer = Contact & Pick<SimOrder, 'buyerOid' | 'userUniqueKey'>;

const GUEST_SHARE = 0.3;
/** How strongly orders concentrate on a few users; 1 is evenly. */
const CONCENTRATION = 2.2;
/**
 * @param guests how many different people order without registering
 * @returns a function that picks the buyer of an order placed at `created`: a guest, or a user who was registered by then
 */
export function makeBuyers(seed: number, users: readonly SimUser[], guests: number, span: ShopSpan) {
  const pickUser = (random: Random, created: LocalSeconds): Buyer => {
    const elapsed = (created - span.from) / (span.to - span.from);
    const registered = countRegistered(users.length, Math.min(1, Math.max(0, elapsed)));
    const index = Math.floor(registered * random.next() ** CONCENTRATION);
    const user = users[index] ?? random.pick(users);
    const { fio, email, phone, address, oid, uniqueKey } = user;
    return { fio, email, phone, address, buyerOid: oid, userUniqueKey: uniqueKey };
  };
  const pickGuest = (random: Random): Buyer => {
    const number = random.below(guests);
    const own = new Random(seed, 'guest', number);
    const { fio, email, phone, address } = makePerson(own, 1_000_000 + number);
    return { fio, email, phone, address, buyerOid: GUEST_OID, userUniqueKey: own.hex(32) };
  };
  return (random: Random, created: LocalSeconds): Buyer =>
    random.chance(GUEST_SHARE) ? pickGuest(random) : pickUser(random, created);
}
