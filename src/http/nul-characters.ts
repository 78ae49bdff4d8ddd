// The database keeps no NUL in texts. In an address it means nothing that exists, so it is refused here for all
// routes: each of them would otherwise need to know. Bodies say it by their schemas.
import type { FastifyInstance } from 'fastify';
import { ServiceError, invalid } from '../contract/errors.ts';

const NUL = '\0';

export function refuseNulCharacters(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if (!request.url.includes('%00')) return done();
    const query = Object.entries(request.query as Record<string, string | string[]>);
    const found = query.find(([, value]) => [value].flat().some((text) => text.includes(NUL)));
    if (found !== undefined) {
      return done(invalid(found[0], 'invalid_format', 'must be text without NUL characters'));
    }
    const params = Object.values(request.params as Record<string, string>);
    if (params.some((text) => text.includes(NUL))) {
      return done(new ServiceError('NOT_FOUND', 'There is nothing with this id.'));
    }
    done();
  });
}
