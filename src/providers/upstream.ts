// A request of a vendor's own client on its way to the vendor, and the answer as it comes back: bytes, not meanings.
import type { PublicProvider } from '../domain/model/model-routing.ts';
import type { Protocol } from './wire/protocol.ts';

export interface UpstreamRequest {
  protocol: Protocol;
  /** Whose address was called. Several vendors speak `chat`; without this it is OpenAI. */
  provider?: PublicProvider;
  operation: 'generate' | 'count' | 'models';
  /** Undefined for lists of models. */
  model: string | undefined;
  isStream: boolean;
  method: 'GET' | 'POST';
  /** Below the vendor's base address, with the query. */
  path: string;
  /** Name, value, name, value: in their order, with the vendor's key. */
  headers: readonly string[];
  /** To be sent as it is; a function where it lies in a file. */
  body: Uint8Array | (() => AsyncIterable<Uint8Array>) | undefined;
  /** What the body says: for who answers without a vendor. */
  readBody(): unknown;
  /** Who pays: nothing is shared between owners. */
  ownerId: string;
  signal: AbortSignal;
}

export interface UpstreamAnswer {
  status: number;
  /** Name, value, name, value. */
  headers: readonly string[];
  /** Fails when the connection breaks, and by the request's signal. */
  body: AsyncIterable<Uint8Array>;
}

export interface Upstream {
  /** Fails only when there is no answer: a vendor's refusal is one. */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>;
}
