import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { expectError } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const named = useServer({ role: 'api', corsOrigins: ['https://app.example.com'] });
const any = useServer({ role: 'api', corsOrigins: ['*'] });
const closed = useServer({ role: 'api' });

const preflight = (url: string, origin: string, path = '/api/v1/execute') =>
  fetch(url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-api-key',
    },
  });

describe('an origin that is named', () => {
  it('may ask for any method and header of the API, without a key', async () => {
    verifies('http.cors.named', 'http.cors.no-credentials');
    const response = await preflight(named().url, 'https://app.example.com');
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(response.headers.get('access-control-allow-headers')).toContain('X-API-Key');
    expect(response.headers.get('vary')).toBe('Origin');
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('is let in to errors as well', async () => {
    const headers = { origin: 'https://app.example.com' };
    for (const path of ['/api/v1/history', '/nowhere']) {
      const answer = await named().call('GET', path, { headers });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers.get('access-control-allow-origin'), path).toBe(headers.origin);
      expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
    }
  });
});

it('every origin may call when all are named, and none with cookies', async () => {
  const response = await preflight(any().url, 'https://other.example.com');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.has('access-control-allow-credentials')).toBe(false);
});

it('no other origin is let in', async () => {
  verifies('http.cors.none');
  const origins = [
    'https://example.com',
    'https://app.example.com.evil.example.com',
    'http://app.example.com',
    'null',
  ];
  for (const origin of origins) {
    for (const url of [named().url, closed().url]) {
      const response = await preflight(url, origin);
      expect(response.status, origin).toBe(405);
      expect(response.headers.has('access-control-allow-origin'), origin).toBe(false);
    }
  }
});

it('a plain OPTIONS is a method like any other', async () => {
  const headers = { origin: 'https://app.example.com' };
  const answer = await named().call('OPTIONS', '/api/v1/execute', { headers });
  expectError(answer, 'METHOD_NOT_ALLOWED');
});

it('the setting takes origins and nothing else', () => {
  const read = (text: string) => loadConfig({ MILLRACE_CORS_ORIGINS: text }).corsOrigins;
  expect(read('https://a.example.com, http://localhost:3000')).toEqual([
    'https://a.example.com',
    'http://localhost:3000',
  ]);
  expect(read('*')).toEqual(['*']);
  expect(loadConfig({}).corsOrigins).toBeUndefined();
  for (const text of ['a.example.com', 'https://a.example.com/', 'https://*', 'file:///x', ',']) {
    expect(() => read(text), text).toThrow('MILLRACE_CORS_ORIGINS');
  }
});
