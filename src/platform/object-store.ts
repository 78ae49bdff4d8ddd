// Objects outside of the database, by key.

export interface ObjectStore {
  /** Replaces what is there. */
  put(key: string, body: Buffer): Promise<void>;
  /** Undefined when there is none. */
  get(key: string): Promise<Buffer | undefined>;
  /** No error when there is none. */
  delete(key: string): Promise<void>;
}

/** `refused`: it answered, and another try would be answered the same. `unreachable`: it may work later. */
export class ObjectStoreError extends Error {
  readonly kind: 'refused' | 'unreachable';

  constructor(kind: 'refused' | 'unreachable', message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ObjectStoreError';
    this.kind = kind;
  }
}
