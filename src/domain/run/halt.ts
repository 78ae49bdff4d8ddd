// Why a run cannot continue, whatever stream is next.
export type HaltKind =
  | 'unreachable'
  | 'not_authorised'
  | 'limited'
  | 'budget'
  /** The server does not know the model or its price, or has no key for its vendor. */
  | 'model'
  /** What was done cannot be written into the manifest. */
  | 'manifest'
  | 'broken';

export interface Halt {
  kind: HaltKind;
  reason: string;
  /** Of a budget: what is spent, and the limit that would cover the next call. */
  spentUsd?: number;
  nextUsd?: number;
}
