// Every vendor's own way to say no: status, headers and body.
import type { ErrorAnswer, ErrorContext, ErrorKind } from './error-kinds.ts';
import { anthropicError } from './errors-anthropic.ts';
import { googleError } from './errors-google.ts';
import { compatibleError, openaiError } from './errors-openai.ts';
import { openrouterError } from './errors-openrouter.ts';
import type { Vendor } from './vendors.ts';

const SHAPES: Readonly<Record<Vendor, (context: ErrorContext) => ErrorAnswer>> = {
  anthropic: anthropicError,
  openai: openaiError,
  compatible: compatibleError,
  google: googleError,
  openrouter: openrouterError,
};

const PROXY_PAGE =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n' +
  '<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n';

export function errorAnswer(vendor: Vendor, context: ErrorContext): ErrorAnswer {
  if (context.kind === 'bad-gateway') return { status: 502, body: PROXY_PAGE };
  const { retryAfter = 1, ...rest } = context;
  const answer = SHAPES[vendor](
    context.kind === 'rate-limit-body' ? { ...rest, retryAfter } : rest,
  );
  // Most have no idea when there will be room.
  const isTold = context.kind === 'tier-unavailable' && context.retryAfter !== undefined;
  const kind = isTold ? 'rate-limit' : context.kind;
  return { ...answer, headers: { ...answer.headers, ...waitHeaders(kind, retryAfter) } };
}

function waitHeaders(kind: ErrorKind, seconds: number): Record<string, string> {
  if (kind === 'rate-limit' || kind === 'unavailable' || kind === 'overloaded') {
    return { 'retry-after': String(seconds) };
  }
  if (kind === 'rate-limit-ms') return { 'retry-after-ms': String(Math.round(seconds * 1000)) };
  if (kind === 'rate-limit-date') {
    return { 'retry-after': new Date(Date.now() + seconds * 1000).toUTCString() };
  }
  return {};
}
