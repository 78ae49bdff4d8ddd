// The field tables as JSON Schema, so that editors complete and check manifests.
import { FEATURE_FIELDS } from './feature-fields.ts';
import {
  FREE_KEY_PREFIX,
  HOST_PATTERN,
  ID_PATTERN,
  TIMESTAMP_PATTERN,
  VERSION_PATTERN,
} from './field.ts';
import type { FieldSpec, FieldType, Fields } from './field.ts';
import { WORKFLOW_FIELDS } from './workflow-fields.ts';

export type JsonSchema = { [key: string]: unknown };

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const MAX_PATTERN_LENGTH = 256;

function ofType(type: FieldType): JsonSchema {
  switch (type.kind) {
    case 'text':
      return type.mayBeEmpty ? { type: 'string' } : { type: 'string', pattern: '\\S' };
    case 'id':
      return { type: 'string', pattern: ID_PATTERN.source };
    case 'pattern':
      return { type: 'string', minLength: 1, maxLength: MAX_PATTERN_LENGTH };
    case 'version':
      return { type: 'string', pattern: VERSION_PATTERN.source };
    case 'timestamp':
      return { type: 'string', pattern: TIMESTAMP_PATTERN.source };
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return {
        type: 'integer',
        minimum: type.min,
        ...(type.max === undefined ? {} : { maximum: type.max }),
      };
    case 'usd':
      return { type: 'number', exclusiveMinimum: 0, maximum: type.max };
    case 'choice':
      return { type: 'string', enum: [...type.values] };
    case 'host':
      return { type: 'string', pattern: HOST_PATTERN.source };
    case 'hosts':
      return {
        anyOf: [{ enum: [...type.words] }, ofType({ kind: 'list', of: { kind: 'host' }, min: 1 })],
      };
    case 'list':
      return {
        type: 'array',
        items: ofType(type.of),
        ...(type.min === undefined ? {} : { minItems: type.min }),
      };
    case 'object':
      return ofFields(type.fields);
    case 'streams':
      return {
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: ID_PATTERN.source },
        additionalProperties: ofFields(type.fields),
      };
  }
}

function ofSpec({ type, about, default: usual }: FieldSpec): JsonSchema {
  return {
    description: about,
    ...ofType(type),
    ...(usual === undefined ? {} : { default: usual }),
  };
}

function ofFields(fields: Fields): JsonSchema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, spec]) => spec.isRequired).map(([name]) => name);
  const excluded = entries.flatMap(([name, { excludes }]) =>
    excludes === undefined ? [] : [{ required: [excludes, name] }],
  );
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, spec]) => [name, ofSpec(spec)])),
    patternProperties: { [`^${FREE_KEY_PREFIX}`]: true },
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    ...(excluded.length === 0 ? {} : { not: { anyOf: excluded } }),
  };
}

const NOTATIONS = {
  A: {
    title: 'Millrace workflow manifest (notation A)',
    fields: WORKFLOW_FIELDS,
    interfaceVersion: '1.0.0-rc.1',
  },
  B: {
    title: 'Millrace feature manifest (notation B)',
    fields: FEATURE_FIELDS,
    interfaceVersion: '5.0',
  },
} as const;

export function manifestSchema(notation: 'A' | 'B'): JsonSchema {
  const { title, fields, interfaceVersion } = NOTATIONS[notation];
  return {
    $schema: DIALECT,
    title,
    'x-interface-version': interfaceVersion,
    ...ofFields(fields),
  };
}

/** Either notation. */
export function anyManifestSchema(): JsonSchema {
  const definitions = { workflow: ofFields(WORKFLOW_FIELDS), feature: ofFields(FEATURE_FIELDS) };
  return {
    $schema: DIALECT,
    title: 'Millrace manifest',
    anyOf: [{ $ref: '#/$defs/workflow' }, { $ref: '#/$defs/feature' }],
    $defs: definitions,
  };
}
