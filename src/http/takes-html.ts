import type { FastifyRequest } from 'fastify';

/** A browser that shows the answer to a person; programs do not name it, even where they take anything. */
export function takesHtml({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.accept?.includes('text/html') === true;
}
