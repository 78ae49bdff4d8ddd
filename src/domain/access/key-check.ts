/** What a vendor said about a key. */
export type KeyCheck =
  | { kind: 'valid' }
  | { kind: 'rejected' }
  /** Nobody could tell: the vendor did not answer, or answered with a fault of its own. */
  | { kind: 'unknown'; why: string };
