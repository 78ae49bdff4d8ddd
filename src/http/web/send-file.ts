// A file that is kept in memory, as browsers like to get it: compressed, and not at all if they have it.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { encodingFor, type WebFile } from './web-files.ts';

export const SAFETY = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

export interface SendOptions {
  /** A client that has a file of this name has this file. */
  isNamedByHash: boolean;
}

export async function sendFile(
  file: WebFile,
  request: FastifyRequest,
  reply: FastifyReply,
  { isNamedByHash }: SendOptions,
): Promise<FastifyReply> {
  reply.headers({
    ...SAFETY,
    etag: file.etag,
    'cache-control': isNamedByHash ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  if (!reply.hasHeader('vary')) reply.header('vary', 'accept-encoding');
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const encoding = encodingFor(file.type, request.headers['accept-encoding']);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(file.type).send(await file.body(encoding));
}
