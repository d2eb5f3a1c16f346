import { erasedAccountOid, findContacts, hashIdentifier, type Identifier } from './identifiers.ts';

/** Persons who must not be stored again, known by keyed hashes only. */
export class ErasedPersons {
  readonly #secret: string;
  readonly #hashes: ReadonlySet<string>;

  /** @param hashes by {@link hashIdentifier}, with the same secret */
  constructor(secret: string, hashes: ReadonlySet<string>) {
    this.#secret = secret;
    this.#hashes = hashes;
  }

  get isEmpty(): boolean {
    return this.#hashes.size === 0;
  }

  hasAccount(userOid: string): boolean {
    return !this.isEmpty && this.#has({ kind: 'user', value: userOid });
  }

  /** The number that stands for the account in what is stored. */
  standIn(userOid: string): string {
    return erasedAccountOid(this.#secret, userOid);
  }

  /** Whether a text holds the e-mail address or phone number of an erased person. */
  areIn(text: string): boolean {
    return !this.isEmpty && findContacts(text).some((contact) => this.#has(contact));
  }

  areInAny(texts: readonly unknown[]): boolean {
    return texts.some((text) => typeof text === 'string' && this.areIn(text));
  }

  #has(identifier: Identifier): boolean {
    return this.#hashes.has(hashIdentifier(this.#secret, identifier));
  }
}
