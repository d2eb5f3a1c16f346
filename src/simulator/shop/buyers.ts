/** Who orders: registered users who come back, and guests. */
import { type Contact, makePerson } from './people.ts';
import type { LocalSeconds } from './shop-clock.ts';
import { Random } from './random.ts';
import type { SimOrder } from './sim-order.ts';
import { GUEST_OID, registeredBy, type ShopSpan, type SimUser } from './sim-users.ts';

type Buyer = Contact & Pick<SimOrder, 'buyerOid' | 'userUniqueKey'>;

const GUEST_SHARE = 0.3;
/** How strongly orders gather on a few users: 1 would be evenly. */
const CONCENTRATION = 2.2;
/** With shared keys there are only this many for everyone. */
const SHARED_KEYS = 7;

export class BuyerPool {
  readonly #seed: number;
  readonly #users: readonly SimUser[];
  readonly #guests: number;
  readonly #span: ShopSpan;
  readonly #hasSharedKeys: boolean;

  /** @param settings guests: how many different people order without registering */
  constructor(settings: {
    readonly seed: number;
    readonly users: readonly SimUser[];
    readonly guests: number;
    readonly span: ShopSpan;
    readonly hasSharedKeys: boolean;
  }) {
    this.#seed = settings.seed;
    this.#users = settings.users;
    this.#guests = settings.guests;
    this.#span = settings.span;
    this.#hasSharedKeys = settings.hasSharedKeys;
  }

  /** The buyer of an order placed at `created`: a guest, or a user who was registered by then. */
  pick(random: Random, created: LocalSeconds): Buyer {
    const buyer = random.chance(GUEST_SHARE) ? this.#guest(random) : this.#user(random, created);
    return this.#hasSharedKeys ? { ...buyer, userUniqueKey: this.#sharedKey(random) } : buyer;
  }

  #user(random: Random, created: LocalSeconds): Buyer {
    const elapsed = (created - this.#span.from) / (this.#span.to - this.#span.from);
    const registered = registeredBy(this.#users.length, Math.min(1, Math.max(0, elapsed)));
    const index = Math.floor(registered * random.next() ** CONCENTRATION);
    const user = this.#users[index] ?? random.pick(this.#users);
    const { fio, email, phone, address, oid, uniqueKey } = user;
    return { fio, email, phone, address, buyerOid: oid, userUniqueKey: uniqueKey };
  }

  #guest(random: Random): Buyer {
    const number = random.below(this.#guests);
    const own = new Random(this.#seed, 'guest', number);
    const { fio, email, phone, address } = makePerson(own, 1_000_000 + number);
    return { fio, email, phone, address, buyerOid: GUEST_OID, userUniqueKey: own.hex(32) };
  }

  #sharedKey(random: Random): string {
    return new Random(this.#seed, 'shared key', random.below(SHARED_KEYS)).hex(32);
  }
}
