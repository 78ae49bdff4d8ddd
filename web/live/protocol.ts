// What a tab and the worker that holds the one connection of the browser say to each other.

/** `since`: when this state began. */
export interface ConnectionState {
  connection: 'connecting' | 'live' | 'reconnecting' | 'offline';
  since: number;
}

export interface LiveMessage {
  topic: string;
  event: string;
  data: unknown;
}

export type ToWorker =
  | { kind: 'topics'; topics: readonly string[]; teamId: string | undefined }
  /** A run asks something that this person may answer. Each tab that hears of it says so. */
  | { kind: 'asked'; id: string; isHidden: boolean }
  | { kind: 'bye' };

export type FromWorker =
  | ({ kind: 'state' } & ConnectionState)
  /** A new connection: whatever is not followed by a topic may have changed meanwhile. */
  | { kind: 'opened' }
  | { kind: 'messages'; messages: readonly LiveMessage[] }
  /** To one tab, where the person sees none of them. */
  | { kind: 'notify'; id: string }
  | { kind: 'signed-out' };
