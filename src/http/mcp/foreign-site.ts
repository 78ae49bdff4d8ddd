// Web pages are no assistants. A page of another site has no business here, and neither has a page whose
// name was made to point at this machine (DNS rebinding): its own name is then in Host and Origin alike.
import type { IncomingHttpHeaders } from 'node:http';
import { originOf } from '../same-origin.ts';

export interface Site {
  /** Where people reach this server, when the operator has said so. */
  publicOrigin: string | undefined;
  /** Origins that the operator lets call the API. */
  corsOrigins: readonly string[];
  /** Only programs of the same machine can connect: they know it by no other name. */
  isLoopbackOnly: boolean;
}

const LOOPBACK_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function isKnownHost(host: string | undefined, { publicOrigin }: Site): boolean {
  const name = URL.parse(`http://${host ?? ''}`)?.hostname ?? '';
  return (
    LOOPBACK_NAME.test(name) ||
    (publicOrigin !== undefined && name === new URL(publicOrigin).hostname)
  );
}

/** Undefined when the request may pass. */
export function whyForeign(headers: IncomingHttpHeaders, site: Site): string | undefined {
  const { corsOrigins, publicOrigin } = site;
  if (site.isLoopbackOnly && !isKnownHost(headers.host, site)) {
    return 'Use localhost, or the address in MILLRACE_PUBLIC_URL.';
  }
  if (originOf(headers, publicOrigin) !== 'other') return undefined;
  const isNamed = headers.origin !== undefined && corsOrigins.includes(headers.origin);
  if (isNamed || corsOrigins.includes('*')) return undefined;
  return 'Pages of other sites cannot use the tools, unless MILLRACE_CORS_ORIGINS names them.';
}
