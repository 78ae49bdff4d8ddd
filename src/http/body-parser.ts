// Bodies are JSON, in UTF-8, uncompressed. Other parsers are removed on purpose: a text/plain body
// would let a foreign web page post without asking.
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../contract/errors.ts';
import { MAX_BODY_BYTES } from '../contract/fields.ts';

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new ServiceError('VALIDATION_ERROR', 'The body is not valid UTF-8.');
  if (hasTooManyFields(body)) {
    const message = 'The body has more than 250,000 fields. Send less at a time.';
    throw new ServiceError('VALIDATION_ERROR', message);
  }
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw new ServiceError('VALIDATION_ERROR', 'The body is not valid JSON.');
  }
}

/** A million field names cost seconds to parse; no honest body comes near. */
const MAX_FIELDS = 250_000;
const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];

/** Where the string that starts before `from` ends. */
function closingQuote(body: Buffer, from: number): number {
  for (let at = body.indexOf(QUOTE, from); ; at = body.indexOf(QUOTE, at + 1)) {
    if (at < 0) return body.length;
    let slashes = 0;
    while (body[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
}

/** Counted on the bytes, because the parser itself is what takes the time. */
function hasTooManyFields(body: Buffer): boolean {
  if (body.length < 5 * MAX_FIELDS) return false;
  let fields = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) at = closingQuote(body, at + 1);
    else if (byte === COLON && ++fields > MAX_FIELDS) return true;
  }
  return false;
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
  app.addHook('preParsing', async (request) => {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not accepted.');
    }
  });
}
