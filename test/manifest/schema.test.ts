import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { FEATURE_FIELDS, FEATURE_STREAM_FIELDS } from '../../src/manifest/schema/feature-fields.ts';
import {
  WORKFLOW_FIELDS,
  WORKFLOW_STREAM_FIELDS,
} from '../../src/manifest/schema/workflow-fields.ts';
import { anyManifestSchema, manifestSchema } from '../../src/manifest/schema/json-schema.ts';
import type { JsonSchema } from '../../src/manifest/schema/json-schema.ts';
import { parseManifest } from '../../src/manifest/text/parse.ts';

type Check = (value: unknown) => boolean;
const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as {
  Ajv2020: new (options: object) => { compile(schema: object): Check };
};
const compile = (schema: JsonSchema): Check =>
  new Ajv2020({
    strictSchema: true,
    keywords: ['x-interface-version'],
    strictTypes: false,
  }).compile(schema);

const A = {
  name: 'n',
  version: '1.0.0',
  description: 'd',
  streams: { a: { description: 'd', plan: 'p' } },
};
const B = { feature: 'x', streams: { a: { name: 'A' } } };

type Node = { properties: Record<string, Node>; additionalProperties: Node };
const fieldsOf = (schema: Node) => Object.keys(schema.properties);

describe('the JSON Schemas of manifests', () => {
  it('have the fields that the parser knows, no more and no less', () => {
    const a = manifestSchema('A') as unknown as Node;
    const b = manifestSchema('B') as unknown as Node;
    expect(fieldsOf(a)).toEqual(Object.keys(WORKFLOW_FIELDS));
    expect(fieldsOf(a.properties['streams']!.additionalProperties)).toEqual(
      Object.keys(WORKFLOW_STREAM_FIELDS),
    );
    expect(fieldsOf(b)).toEqual(Object.keys(FEATURE_FIELDS));
    expect(fieldsOf(b.properties['streams']!.additionalProperties)).toEqual(
      Object.keys(FEATURE_STREAM_FIELDS),
    );
  });

  it('carry the label of the interface', () => {
    expect(manifestSchema('A')).toMatchObject({ 'x-interface-version': '1.0.0-rc.1' });
    expect(manifestSchema('B')).toMatchObject({ 'x-interface-version': '5.0' });
  });

  it.each([
    ['a plain A', A, true],
    ['a plain B', B, true],
    ['free keys', { ...B, 'x-mine': [1] }, true],
    ['no streams', { ...B, streams: {} }, false],
    ['no name', { ...B, streams: { a: {} } }, false],
    ['a bad id', { ...B, streams: { 'a b': { name: 'A' } } }, false],
    ['a bad version', { ...A, version: '1.0' }, false],
    ['a bad status', { ...B, streams: { a: { name: 'A', status: 'done' } } }, false],
    ['a bad time-out', { ...B, streams: { a: { name: 'A', timeoutMs: 1 } } }, false],
    ['a text instead of a list', { ...B, streams: { a: { name: 'A', deps: 'b' } } }, false],
    [
      'a command without critical',
      { ...A, streams: { a: { description: 'd', plan: 'p', commands: [{ command: 'c' }] } } },
      false,
    ],
    ['an empty name', { ...B, streams: { a: { name: ' ' } } }, false],
    ['a bad day', { ...B, created: '2026-13-01' }, false],
  ])('say of %s what the parser says', (_, manifest, isValid) => {
    expect(compile(anyManifestSchema())(manifest)).toBe(isValid);
    expect(parseManifest(JSON.stringify(manifest)).kind).toBe(isValid ? 'manifest' : 'invalid');
    const own = compile(manifestSchema('feature' in manifest ? 'B' : 'A'));
    expect(own(manifest)).toBe(isValid);
  });
});
