// Who calls a model, and for what.
import type { PublicProvider } from '../domain/model/model-routing.ts';
import type { Protocol } from '../providers/wire/protocol.ts';

/** What a stream token allows, beside who it was made by. */
export interface OfStream {
  tokenId: string;
  runId: string;
  streamId: string;
  /** Ids of models; nothing else may be called. */
  models: readonly string[];
}

export interface Caller {
  userId: string;
  teamId: string;
  apiKeyId: string | null;
  runsPerMonth: number | null;
  concurrentJobs: number | null;
  stream: OfStream | undefined;
}

export interface ModelRequest {
  provider: PublicProvider;
  protocol: Protocol;
  operation: 'generate' | 'count' | 'models';
  /** Where the path names it. */
  pathModel: string | undefined;
  /** What the address says of the answer: Google's protocol has it there. */
  isStreamPath: boolean;
  hidesUsage: boolean;
  method: 'GET' | 'POST';
  /** Below the vendor's base address, with the query, without credentials. */
  path: string;
  headers: readonly string[];
  body: AsyncIterable<Uint8Array>;
  caller: Caller;
  /** Rejected where the caller has made too many calls; of the body no more is read before than has come with the request. */
  admitted: Promise<unknown>;
  /** The caller's own, for this call alone. */
  providerKey: string | undefined;
  trace: string | undefined;
  /** The client is gone, or has nobody left who would read. */
  signal: AbortSignal;
}

export interface ModelAnswer {
  status: number;
  headers: string[];
  body: AsyncIterable<Uint8Array>;
  /** To be called when nobody reads any more, at the end too: then the call is settled. */
  close(): Promise<void>;
}
