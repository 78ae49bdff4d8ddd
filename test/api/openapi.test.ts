import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { ROUTE_ACCESS } from '../../src/http/route-access.ts';
import { fromRoot } from '../pins/tree.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

interface Schema {
  type?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  $ref?: string;
}

interface OpenApi {
  openapi: string;
  'x-interface-version': string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  components: { schemas: Record<string, Schema> };
}

async function load(): Promise<OpenApi> {
  const response = await fetch(`${server().url}/openapi.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  return (await response.json()) as OpenApi;
}

describe('the OpenAPI document', () => {
  it('has no defaults in requests: generators would ask for these fields', async () => {
    const { components, paths } = await load();
    const request = components.schemas['ExecuteRequest']!;
    expect(request.required).toEqual(['streamId', 'model', 'maxTokens']);
    expect(request.properties!['timeoutMs']).not.toHaveProperty('default');
    expect(JSON.stringify(request.properties!['timeoutMs'])).toContain('Default: 660000');
    expect(JSON.stringify(components.schemas['CreateExecutionRequest'])).not.toContain(
      '"default":',
    );
    expect(JSON.stringify(Object.keys(paths))).toContain('/v1/executions');
  });

  it('is OpenAPI 3.1 and covers every route of both surfaces', async () => {
    verifies('http.openapi');
    const document = await load();
    expect(document.openapi).toMatch(/^3\.1\./);
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const table = Object.entries(ROUTE_ACCESS).map(([route]) =>
      route.replaceAll(/:(\w+)/g, '{$1}'),
    );
    // Pages that browsers go through have no answer to describe.
    const isPage = (route: string) => route.startsWith('GET /api/v1/auth/oidc/');
    const ofApi = (route: string) => /^\w+ \/(?:api\/)?v1\//.test(route) && !isPage(route);
    expect(routes.filter(ofApi).sort()).toEqual(table.filter(ofApi).sort());
  });

  it('carries the version of the product and of the interface', async () => {
    verifies(
      'versioning.release-label',
      'versioning.openapi.product',
      'versioning.openapi.interface',
    );
    const document = await load();
    const { version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as {
      version: string;
    };
    expect(document.info.version).toBe(version);
    expect(document['x-interface-version']).toBe('1.0.0-rc.1');
  });

  it('has no reference that leads nowhere', async () => {
    verifies('http.openapi');
    const document = await load();
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, path = '']) => path.split('/'),
    );
    expect(refs.length).toBeGreaterThan(5);
    for (const path of refs) {
      let at: unknown = document;
      for (const part of path) at = (at as Record<string, unknown>)[part];
      expect(at, path.join('/')).toBeTypeOf('object');
    }
  });

  it('says of execute what execute then enforces', async () => {
    verifies('http.openapi.same-schemas');
    const { components } = await load();
    const schema = components.schemas['ExecuteRequest']!;
    expect(schema.required?.toSorted()).toEqual(['maxTokens', 'model', 'streamId']);
    const { key } = await server().createKey();
    const valid = { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 10 };
    const execute = (body: object) => server().call('POST', '/api/v1/execute', { key, body });
    let checked = 0;
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (schema.required?.includes(name)) {
        const { [name as keyof typeof valid]: _, ...rest } = valid;
        expectInvalid(await execute(rest), name);
      }
      for (const [limit, step] of [
        ['minimum', -1],
        ['maximum', 1],
      ] as const) {
        const bound = field[limit];
        if (bound === undefined) continue;
        expect((await execute({ ...valid, [name]: bound })).status, `${name} ${bound}`).toBe(202);
        expectInvalid(await execute({ ...valid, [name]: bound + step }), name);
        checked += 1;
      }
      if (field.pattern !== undefined) {
        const odd = ' not an id ';
        expect(new RegExp(field.pattern, 'u').test(odd)).toBe(false);
        expectInvalid(await execute({ ...valid, [name]: odd }), name);
        checked += 1;
      }
      if (field.maxLength !== undefined) {
        expectInvalid(await execute({ ...valid, [name]: 'x'.repeat(field.maxLength + 1) }), name);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(12);
  });

  it('shows why an answer ended in every state of a job', async () => {
    const { schemas } = (await load()).components;
    for (const name of ['PendingJob', 'RunningJob', 'CompletedJob', 'FailedJob']) {
      const field = schemas[name]?.properties?.['stopReason'];
      expect(JSON.stringify(field), name).toContain('["stop","length"]');
      expect(JSON.stringify(field), name).toContain('null');
      expect(schemas[name]?.required, name).not.toContain('stopReason');
    }
  });

  it('documents for each route the errors that it answers with', async () => {
    verifies('http.openapi.same-schemas');
    const { paths } = await load();
    const { key } = await server().createKey();
    const documented = (method: string, path: string) =>
      Object.keys(paths[path]?.[method]?.responses ?? {});
    const seen: [string, string, number][] = [
      ['post', '/api/v1/execute', (await server().call('POST', '/api/v1/execute')).status],
      [
        'post',
        '/api/v1/execute',
        (await server().call('POST', '/api/v1/execute', { key, body: {} })).status,
      ],
      ['get', '/api/v1/job/{id}', (await server().call('GET', '/api/v1/job/x', { key })).status],
      [
        'get',
        '/api/v1/history',
        (await server().call('GET', '/api/v1/history?limit=0', { key })).status,
      ],
    ];
    expect(seen.map(([, , status]) => status)).toEqual([401, 400, 404, 400]);
    for (const [method, path, status] of seen) {
      expect(documented(method, path)).toContain(String(status));
      expect(documented(method, path)).toEqual(expect.arrayContaining(['429', '500', '503']));
    }
  });

  it('needs no key and takes no other method', async () => {
    expectError(await server().call('POST', '/openapi.json'), 'METHOD_NOT_ALLOWED');
  });
});
