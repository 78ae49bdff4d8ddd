import { describe, expect, it } from 'vitest';
import { renderReference as renderWith } from '../../scripts/docs-site/reference/page.ts';

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror="alert('2')">`;

const renderReference = (document: object) =>
  renderWith(document, {
    style: '/docs/assets/docs.css',
    script: '/docs/assets/docs.js',
    searchIndex: '/docs/assets/search.json',
  });

function documentWith(paths: object, more: Record<string, unknown> = {}): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Sample service', version: '1.2.3' },
    security: [{ apiKey: [] }],
    paths,
    ...more,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      ...(more['components'] as object | undefined),
    },
  };
}

function answering(schema: object): object {
  return { responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } } };
}

/** What a reader sees: tags away, white space folded, entities back. */
function textOf(page: string): string {
  return page
    .replaceAll(/<(style|script)[^>]*>[\s\S]*?<\/\1>/g, '')
    .replaceAll('<wbr />', '')
    .replaceAll(/<span class="t-\w">([^<]*)<\/span>/g, '$1')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');
}

describe('the reference page', () => {
  it('shows an operation with its parameters, body, answers and a curl line', () => {
    const page = renderReference(
      documentWith({
        '/things/{id}': {
          parameters: [
            {
              name: 'id',
              in: 'path',
              required: true,
              schema: { type: 'string' },
              description: 'Which',
            },
          ],
          put: {
            tags: ['Things'],
            summary: 'Replace a thing',
            description: 'Keeps **nothing** of the `old` one.',
            requestBody: {
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    required: ['size'],
                    properties: {
                      size: { type: 'integer', minimum: 1, maximum: 9, description: 'How big' },
                      note: { type: ['string', 'null'], maxLength: 20 },
                      kind: { enum: ['small', 'large'], default: 'small' },
                    },
                  },
                },
              },
            },
            responses: {
              200: {
                description: 'The thing',
                content: {
                  'application/json': {
                    schema: { type: 'object', properties: { ok: { type: 'boolean' } } },
                    example: { ok: true },
                  },
                },
              },
              404: { description: 'There is none' },
            },
          },
        },
      }),
    );
    const text = textOf(page);
    expect(text).toContain('PUT /things/{id}');
    expect(text).toContain('id path string required Which');
    expect(text).toContain('size integer required How big 1 to 9');
    expect(text).toContain('note string or null optional at most 20 characters');
    expect(text).toContain('kind "small" | "large" optional default "small"');
    expect(text).toContain(
      `curl -sS -X PUT 'http://127.0.0.1:4747/things/THINGS_ID' \\ -H "X-API-Key: $MILLRACE_API_KEY" \\ -H 'Content-Type: application/json' \\ -d '{ "size": 1 }'`,
    );
    expect(text).toContain('Example { "ok": true }');
    expect(text).toContain('404 Not Found There is none');
    expect(page).toContain('<strong>nothing</strong> of the <code>old</code>');
  });

  it('follows references, folds allOf and names the alternatives of a union', () => {
    const page = renderReference(
      documentWith(
        { '/job': { get: answering({ $ref: '#/components/schemas/Job' }) } },
        {
          components: {
            schemas: {
              Base: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
              Waiting: { type: 'object', properties: { status: { const: 'waiting' } } },
              Done: {
                allOf: [
                  { $ref: '#/components/schemas/Base' },
                  {
                    type: 'object',
                    required: ['status'],
                    properties: {
                      status: { const: 'done' },
                      files: { type: 'array', items: { $ref: '#/components/schemas/Base' } },
                    },
                  },
                ],
              },
              Job: {
                oneOf: [
                  { $ref: '#/components/schemas/Waiting' },
                  { $ref: '#/components/schemas/Done' },
                ],
                discriminator: { propertyName: 'status' },
              },
            },
          },
        },
      ),
    );
    const text = textOf(page);
    expect(text).toContain('When status is "waiting" status "waiting" sometimes');
    expect(text).toContain('When status is "done" id string always status "done" always');
    expect(text).toContain('files array of object sometimes files[].id string always');
  });

  it('puts nothing under the caption of an alternative that does not belong to it', () => {
    const kinds = ['a', 'b'].map((kind) => ({ properties: { kind: { const: kind } } }));
    const page = renderReference(
      documentWith({
        '/x': {
          get: answering({
            type: 'object',
            properties: {
              list: { type: 'array', items: { oneOf: kinds } },
              at: { type: 'string', format: 'date-time', pattern: '^long$' },
            },
          }),
        },
      }),
    );
    const text = textOf(page);
    expect(
      text.indexOf('at string (date-time) sometimes list[]: when kind is "a"'),
    ).toBeGreaterThan(0);
    expect(text).not.toContain('^long$');
  });

  it('ends on schemas that contain themselves, and on references that lead nowhere', () => {
    const page = renderReference(
      documentWith(
        {
          '/tree': { get: answering({ $ref: '#/components/schemas/Tree' }) },
          '/loop': { get: answering({ $ref: '#/components/schemas/Loop' }) },
          '/hole': { get: answering({ $ref: '#/components/schemas/Missing' }) },
        },
        {
          components: {
            schemas: {
              Tree: {
                type: 'object',
                required: ['children', 'parent'],
                properties: {
                  children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
                  parent: { anyOf: [{ $ref: '#/components/schemas/Tree' }, { type: 'null' }] },
                },
              },
              Loop: { $ref: '#/components/schemas/Loop' },
            },
          },
        },
      ),
    );
    expect(textOf(page)).toContain('children array of object always');
    expect(textOf(page)).toContain('parent object or null always');
  });

  it('treats every word of the document as text', () => {
    const page = renderReference(
      documentWith(
        {
          [`/${HOSTILE}/{${HOSTILE}}`]: {
            post: {
              tags: [HOSTILE],
              operationId: HOSTILE,
              summary: HOSTILE,
              description: `${HOSTILE}\n\n- ${HOSTILE}\n\n\`\`\`\n${HOSTILE}\n\`\`\``,
              parameters: [
                {
                  name: HOSTILE,
                  in: HOSTILE,
                  description: HOSTILE,
                  schema: { type: HOSTILE, pattern: HOSTILE, default: HOSTILE },
                },
              ],
              requestBody: {
                description: HOSTILE,
                content: {
                  [HOSTILE]: { schema: { type: 'string', description: HOSTILE } },
                  'application/json': {
                    schema: {
                      title: HOSTILE,
                      required: [HOSTILE],
                      properties: { [HOSTILE]: { const: HOSTILE, description: HOSTILE } },
                    },
                  },
                },
              },
              responses: {
                [HOSTILE]: {
                  description: HOSTILE,
                  headers: { [HOSTILE]: { description: HOSTILE } },
                  content: { 'text/plain': { example: HOSTILE, schema: { enum: [HOSTILE] } } },
                },
              },
            },
          },
        },
        {
          info: { title: HOSTILE, version: HOSTILE, description: HOSTILE },
          'x-interface-version': HOSTILE,
          servers: [{ url: `https://example.com/${HOSTILE}` }],
          tags: [{ name: HOSTILE, description: HOSTILE }],
          components: {
            securitySchemes: {
              [HOSTILE]: { type: 'apiKey', in: 'header', name: HOSTILE, description: HOSTILE },
              other: { type: HOSTILE, in: 'cookie', name: HOSTILE },
            },
          },
        },
      ),
    );
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page.match(/<\/script>/g)).toHaveLength(1);
    expect(page).not.toContain('<img');
    expect(textOf(page)).toContain(HOSTILE);
  });

  it('keeps a quote in a sample from ending the quotes of the curl line', () => {
    const schema = {
      required: ['a'],
      properties: { a: { type: 'string', example: "it's; rm -rf" } },
    };
    const page = renderReference(
      documentWith({
        '/x': {
          post: { requestBody: { content: { 'application/json': { schema } } }, responses: {} },
        },
      }),
    );
    expect(textOf(page)).toContain(String.raw`"a": "it'\''s; rm -rf"`);
  });

  it('says once what an error looks like, and names the errors of each operation', () => {
    const error = { type: 'object', properties: { error: { type: 'object' } } };
    const failing = {
      description: 'NOT_FOUND: none',
      content: { 'application/json': { schema: error } },
    };
    const page = renderReference(
      documentWith({ '/a': { get: { responses: { 200: { description: 'OK' }, 404: failing } } } }),
    );
    expect(textOf(page)).toContain('Errors, in the shape that all have : 404 NOT_FOUND: none');
    expect(page.match(/<details/g)).toHaveLength(1);
  });

  it('gives no key to operations that need none', () => {
    const page = renderReference(
      documentWith({ '/open': { get: { summary: 'Open', security: [], responses: {} } } }),
    );
    expect(textOf(page)).toContain(`curl -sS 'http://127.0.0.1:4747/open' `);
    expect(textOf(page)).not.toContain(`/open' \\ -H`);
  });

  it('lists every error code and both landmarks, and never jumps over a heading level', () => {
    const page = renderReference(
      documentWith({ '/a': { get: { summary: 'A', ...answering({ type: 'string' }) } } }),
    );
    expect(textOf(page)).toContain('RATE_LIMITED 429');
    expect(page).toContain('<main');
    expect(page).toContain('<nav');
    const levels = [...page.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    const jumps = levels.filter((level, index) => level - (levels[index - 1] ?? 0) > 1);
    expect(jumps).toEqual([]);
  });

  it('has unique anchors, and every link within the page leads to one', () => {
    const operation = { operationId: 'same', responses: {} };
    const page = renderReference(documentWith({ '/a': { get: operation, post: operation } }));
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    expect(new Set(ids).size).toBe(ids.length);
    expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
  });

  it('asks for nothing from elsewhere, and has no inline handlers or style attributes', () => {
    const page = renderReference(documentWith({ '/a': { get: answering({ type: 'string' }) } }));
    expect(page).not.toMatch(/<(img|iframe|object|embed)\b|@import|url\(/);
    const own = 'favicon\\.svg|docs/';
    expect(page).not.toMatch(new RegExp(`<(?:script|link)[^>]*(?:src|href)="(?!/(?:${own}))`));
    expect(page).not.toMatch(/\s(on\w+|style)="/);
  });

  it('says so when there is nothing to show', () => {
    const page = renderReference(documentWith({}));
    expect(textOf(page)).toContain('This document describes no operations.');
    expect(page).not.toMatch(/<style|<script(?! src=)/);
  });
});
