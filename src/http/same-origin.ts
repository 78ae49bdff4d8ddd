// Whether a request comes from a page of this server. Browsers send the cookie along whatever page makes
// them call, but they say which one it was, and no page can change that.
import type { IncomingHttpHeaders } from 'node:http';

/** `unknown`: nothing says so, as with programs that are no browser. */
export type RequestOrigin = 'same' | 'other' | 'unknown';

/** `publicOrigin`: where people reach this server, when the operator has said so. */
export function originOf(
  headers: IncomingHttpHeaders,
  publicOrigin: string | undefined,
): RequestOrigin {
  const site = headers['sec-fetch-site'];
  // `none`: the person typed the address.
  if (site !== undefined) return site === 'same-origin' || site === 'none' ? 'same' : 'other';
  const { origin } = headers;
  if (origin === undefined) return 'unknown';
  if (publicOrigin !== undefined) return origin === publicOrigin ? 'same' : 'other';
  const host = /^https?:\/\/(.+)$/.exec(origin)?.[1];
  return host !== undefined && host === headers.host ? 'same' : 'other';
}
