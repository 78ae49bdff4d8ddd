// The parts of a month's usage: nothing is kept further apart.

interface Source {
  /** As 2026-11-16, UTC. */
  day: string;
  userId: string;
  /** Null for an account that is gone. */
  email: string | null;
  userName: string | null;
  /** Null: a user who was signed in. */
  keyId: string | null;
  keyName: string | null;
  input: number;
  output: number;
  /** Of the calls whose price is known; made up where the model is simulated. */
  costUsd: number;
  unpricedCalls: number;
}

/** What jobs used, on one day, of one member, with one key and model. */
export interface UsageCell extends Source {
  provider: string;
  model: string;
  jobs: number;
  cachedInput: number;
  /** Jobs with at least one call whose price is not known. */
  unpricedJobs: number;
}

/** What clients say that their own runs used. */
export interface RecordedCell extends Source {
  runs: number;
}
