// Example values for a schema, and the curl line that sends them.
import { list, record, text, type Json, type Operation } from './document.ts';
import { alternatives, baseType, open, type Place } from './schema.ts';

const MAX_DEPTH = 6;

function given(node: Json): unknown {
  if (node['example'] !== undefined) return node['example'];
  if (list(node['examples']).length > 0) return list(node['examples'])[0];
  if (node['const'] !== undefined) return node['const'];
  if (list(node['enum']).length > 0) return list(node['enum'])[0];
  return node['default'];
}

function sampleString(node: Json): string {
  switch (text(node['format'])) {
    case 'date-time':
      return '2026-01-31T12:00:00.000Z';
    case 'email':
      return 'you@example.com';
    case 'uri':
      return 'https://example.com/';
    default:
      return '...';
  }
}

/** A short value that fits the schema: of an object, only what is always there. */
export function sampleOf(schema: unknown, from: Place): unknown {
  const { node, place, recursive } = open(schema, from);
  const known = given(node);
  if (known !== undefined) return known;
  if (recursive || place.depth > MAX_DEPTH) return null;
  const below: Place = { ...place, depth: place.depth + 1 };
  const kinds = alternatives(node);
  if (kinds.length > 0) return sampleOf(kinds[0], below);
  switch (baseType(node)) {
    case 'object': {
      const required = new Set(list(node['required']));
      const entries = Object.entries(record(node['properties']));
      const shown = entries.filter(([name]) => required.has(name));
      return Object.fromEntries(shown.map(([name, value]) => [name, sampleOf(value, below)]));
    }
    case 'array':
      return node['items'] === undefined ? [] : [sampleOf(node['items'], below)];
    case 'integer':
    case 'number':
      return typeof node['minimum'] === 'number' ? Math.max(node['minimum'], 0) : 0;
    case 'boolean':
      return true;
    case 'string':
      return sampleString(node);
    default:
      return null;
  }
}

export interface Sample {
  name: string;
  value: unknown;
}

/** More alternatives than this are left to the table of fields. */
const MAX_SAMPLES = 5;

/** The examples written for a media type, else one made for each alternative of its schema. */
export function mediaSamples(media: Json, place: Place): Sample[] {
  if (media['example'] !== undefined) return [{ name: '', value: media['example'] }];
  const written = Object.entries(record(media['examples'])).map(([key, value]) => ({
    name: text(record(value)['summary']) || key,
    value: record(value)['value'],
  }));
  if (written.length > 0) return written;
  const opened = open(media['schema'], place);
  if (given(opened.node) !== undefined) return [{ name: '', value: given(opened.node) }];
  const kinds = alternatives(opened.node);
  const schemas = kinds.length > 0 ? kinds.slice(0, MAX_SAMPLES) : [media['schema']];
  const from = kinds.length > 0 ? opened.place : place;
  return schemas.map((schema) => ({ name: '', value: sampleOf(schema, from) }));
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}

const PARAMETER = /(?<![^/])([^/]*)\/\{([^{}]*)\}/g;

function shouted(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
}

export interface CurlOptions {
  baseUrl: string;
  place: Place;
  /** A header with the caller's key, as a shell word; null where no key is needed. */
  authHeader: string | null;
}

/** What an example sends; undefined where nothing is sent. */
export function bodyOf(operation: Operation, place: Place): unknown {
  const body = record(operation.node['requestBody']);
  const json = record(record(body['content'])['application/json']);
  return json['schema'] === undefined ? undefined : (mediaSamples(json, place)[0]?.value ?? {});
}

export function curlOf(operation: Operation, options: CurlOptions): string {
  const body = bodyOf(operation, options.place);
  const responses = Object.values(record(operation.node['responses'])).map(record);
  const streams = responses.some((one) => 'text/event-stream' in record(one['content']));
  const path = operation.path.replaceAll(PARAMETER, (_, before: string, name: string) => {
    // An id alone says little in a shell line: /job/{id} becomes /job/JOB_ID.
    return `${before}/${shouted(name === 'id' ? `${before} ${name}` : name)}`;
  });
  const method = operation.method === 'get' ? '' : ` -X ${operation.method.toUpperCase()}`;
  const parts = [`curl -sS${streams ? 'N' : ''}${method} ${quoted(options.baseUrl + path)}`];
  if (options.authHeader !== null) parts.push(`-H ${options.authHeader}`);
  if (body !== undefined) {
    const sample = JSON.stringify(body, null, 2);
    parts.push(`-H 'Content-Type: application/json'`, `-d ${quoted(sample)}`);
  }
  return parts.join(' \\\n  ');
}
