// HTTP towards vendors. Two defaults of fetch would hurt: it follows redirects and carries the key
// along to wherever they lead, and it gives up after five minutes of silence, which a model may
// need. Silence and total time are watched by the job instead.
import { Agent, fetch as undiciFetch } from 'undici';

export interface VendorHttp {
  fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

export function createVendorHttp(): VendorHttp {
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 10_000 },
    keepAliveTimeout: 4_000,
  });
  // Two copies of the same types, undici's and the global ones, do not know each other.
  const request = (url: unknown, init: unknown) =>
    undiciFetch(url as string, { ...(init as object), redirect: 'error', dispatcher: agent });
  return {
    fetch: request,
    close: () => agent.destroy(),
  };
}
