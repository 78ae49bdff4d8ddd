import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const worker = useServer({ role: 'worker', healthPort: 0 });
const silent = useServer({ role: 'worker' });

const get = (path: string) => fetch(`${worker().healthUrl}${path}`);

it('a worker without the API tells of its health where it is asked to', async () => {
  verifies('config.health-port');
  const alive = await get('/healthz');
  expect(alive.status).toBe(200);
  expect(await alive.json()).toMatchObject({ status: 'ok' });
  const ready = await get('/readyz');
  expect(await ready.json()).toEqual({ status: 'ready' });
  const figures = await get('/metrics');
  expect(figures.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await figures.text()).toContain('millrace_');
});

it('and answers nothing else there', async () => {
  for (const path of ['/api/v1/history', '/docs', '/openapi.json', '/']) {
    const response = await get(path);
    expect(response.status, path).toBe(404);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  }
});

it('a worker that was given no port opens none', async () => {
  expect(silent().healthUrl).toBeUndefined();
  expect(loadConfig({}).healthPort).toBeUndefined();
});
