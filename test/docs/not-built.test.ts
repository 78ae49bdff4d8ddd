// A server whose pages were not built.
import { fastify, type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendError, toServiceError } from '../../src/http/errors.ts';
import { createLostPage } from '../../src/http/lost-page.ts';
import { installNotFound } from '../../src/http/not-found.ts';
import { docsRoutes } from '../../src/http/routes/docs.ts';
import { webRoutes } from '../../src/http/routes/web.ts';
import { createWebFiles } from '../../src/http/web/web-files.ts';
import { fromRoot } from '../pins/tree.ts';

let app: FastifyInstance;
let url: string;
beforeAll(async () => {
  const nothing = fromRoot('no-such-folder');
  const files = createWebFiles(nothing);
  app = fastify();
  app.setErrorHandler((error, _request, reply) =>
    sendError(
      reply,
      toServiceError(error, () => false),
    ),
  );
  installNotFound(app, createLostPage(files));
  await app.register(docsRoutes(files));
  await app.register(
    webRoutes({
      webFolder: nothing,
      localLaunch: undefined,
      signInOptions: { ssoName: undefined, canMail: false, linkCommand: '' },
    }),
  );
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

it.each(['/', '/login', '/docs', '/docs/api', '/docs/quickstart'])(
  'says at %s how to build them',
  async (path) => {
    const page = await fetch(url + path, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(503);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(await page.text()).toContain('<code>npm run build:web</code>');
  },
);

it.each(['/docs', '/docs/quickstart.md', '/llms.txt'])(
  'says so to programs at %s',
  async (path) => {
    const answer = await fetch(url + path, { headers: { accept: 'text/markdown' } });
    expect(answer.status).toBe(503);
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('SERVICE_UNAVAILABLE');
    expect(error.message).toContain('npm run build:web');
  },
);

it('has a plain page for an address where nothing is', async () => {
  const page = await fetch(`${url}/rnus`, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(404);
  expect(await page.text()).toContain('There is no such page');
});
