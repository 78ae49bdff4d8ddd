// Bodies are JSON, in UTF-8, uncompressed. Other parsers are removed on purpose: a text/plain body
// would let a foreign web page post without asking.
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../contract/errors.ts';
import { MAX_BODY_BYTES } from '../contract/fields.ts';

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new ServiceError('VALIDATION_ERROR', 'The body is not valid UTF-8.');
  const tooMuch = whyTooMuch(body);
  if (tooMuch !== undefined) {
    throw new ServiceError('VALIDATION_ERROR', `The body ${tooMuch}. Send less at a time.`);
  }
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw new ServiceError('VALIDATION_ERROR', 'The body is not valid JSON.');
  }
}

/** A million fields or lists cost seconds to parse; no honest body comes near. */
const MAX_PARTS = 250_000;
/** Whatever walks through a body or writes it as text again calls itself for each level. */
const MAX_DEPTH = 1000;
/** What is smaller than this cannot have so many levels, each of which opens and closes. */
const SMALL_BYTES = 2 * MAX_DEPTH;
const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Decided from the bytes, because the parser itself is what takes the time. */
function whyTooMuch(body: Buffer): string | undefined {
  if (body.length < SMALL_BYTES) return undefined;
  let parts = 0;
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) {
      for (at += 1; at < body.length && body[at] !== QUOTE; at++) if (body[at] === BACKSLASH) at++;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      parts += 1;
      depth += 1;
      if (depth > MAX_DEPTH) return 'is nested deeper than 1,000 levels';
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === COLON) parts += 1;
    if (parts > MAX_PARTS) return 'has more than 250,000 fields and lists';
  }
  return undefined;
}

/** A field of this name would change an object's nature wherever it is copied. */
function hasProtoKey(value: unknown): boolean {
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__')) return true;
    for (const child of Object.values(next)) if (typeof child === 'object') open.push(child);
  }
  return false;
}

/** Cheap on the bytes first: hardly any body contains the name, plain or escaped. */
function mayHaveProtoKey(body: Buffer): boolean {
  return body.includes('__proto__') || body.includes('\\u005f') || body.includes('\\u005F');
}

export function installBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    (_request: FastifyRequest, body: Buffer, done) => {
      try {
        const value = parseJson(body);
        if (mayHaveProtoKey(body) && hasProtoKey(value)) {
          const message = 'The field name "__proto__" is not allowed.';
          throw new ServiceError('VALIDATION_ERROR', message);
        }
        done(null, value);
      } catch (error) {
        done(error as Error);
      }
    },
  );
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding'];
    if (request.routeOptions.config.rawBody === true) return done(null, payload);
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return done(null, payload);
    done(new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not accepted.'));
  });
}
