// The dashboard reads the API below an address of its own, so that its pages, which ask for many small things,
// neither use up a user's requests to the API nor are held to that limit. Everything that changes something,
// and every other caller, goes by the API's addresses and its limits.
import type { IncomingMessage } from 'node:http';
import { PAGE_READS } from '../contract/page-reads.ts';

const READS = new RegExp(`^${PAGE_READS}(/(?:api/)?v1/)`);

const requests = new WeakSet<IncomingMessage>();

/** The address that a request is routed by. */
export function routedUrl(request: IncomingMessage): string {
  const { url = '/', method } = request;
  if (method !== 'GET' || !READS.test(url)) return url;
  requests.add(request);
  return url.slice(PAGE_READS.length);
}

export function isPageRead(request: IncomingMessage): boolean {
  return requests.has(request);
}
