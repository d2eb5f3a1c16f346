/** A response read to its end. */
export type HttpResponse = {
  readonly status: number;
  /** @param name in lower case */
  readonly header: (name: string) => string | null;
  /** A byte that belongs to no character is kept as a lone surrogate. */
  readonly text: string;
  /** Why the body could not be decoded, and what to do: then the text is one character per byte, and not to be stored. */
  readonly undecodable: string | undefined;
};
