// A schema as rows of a table: nested objects become dotted names, alternatives become captions.
import { isEmpty, list, record, resolve, text, type Json } from './document.ts';

export interface Property {
  kind: 'property';
  name: string;
  type: string;
  required: boolean;
  limits: string[];
  description: string;
}

export interface Caption {
  kind: 'caption';
  text: string;
}

export type Row = Property | Caption;

/** Deeper than this a table is no longer readable (an array and a union count as levels too). */
const MAX_DEPTH = 8;

export interface Place {
  document: Json;
  /** Pointers on the way from the top, to stop at cycles. */
  refs: readonly string[];
  depth: number;
}

interface Open {
  node: Json;
  place: Place;
  recursive: boolean;
}

/** A schema with its $ref followed and its allOf folded in. */
export function open(schema: unknown, place: Place): Open {
  const { node, refs } = resolve(place.document, schema);
  const recursive = refs.some((ref) => place.refs.includes(ref));
  const inner: Place = { ...place, refs: [...place.refs, ...refs] };
  if (recursive) return { node, place: inner, recursive };
  const folded = list(node['allOf']).reduce<Json>((sum, part) => {
    const { node: next } = open(part, inner);
    return {
      ...sum,
      ...next,
      properties: { ...record(sum['properties']), ...record(next['properties']) },
      required: [...list(sum['required']), ...list(next['required'])],
    };
  }, node);
  return { node: folded, place: inner, recursive };
}

function isNull(schema: unknown): boolean {
  return record(schema)['type'] === 'null';
}

export function alternatives(node: Json): unknown[] {
  return [...list(node['oneOf']), ...list(node['anyOf'])].filter((schema) => !isNull(schema));
}

function isNullable(node: Json): boolean {
  return (
    list(node['type']).includes('null') ||
    node['nullable'] === true ||
    [...list(node['oneOf']), ...list(node['anyOf'])].some(isNull)
  );
}

export function baseType(node: Json): string {
  const types = [node['type']].flat().filter((type) => type !== 'null');
  if (types.length > 0 && types[0] !== undefined) return types.join(' or ');
  if (!isEmpty(record(node['properties']))) return 'object';
  return 'any';
}

export function typeOf(schema: unknown, place: Place): string {
  const { node, place: inner, recursive } = open(schema, place);
  const orNull = isNullable(node) ? ' or null' : '';
  if (node['const'] !== undefined) return JSON.stringify(node['const']) + orNull;
  const values = list(node['enum']).filter((value) => value !== null);
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(' | ') + orNull;
  const kinds = recursive ? [] : alternatives(node);
  if (kinds.length > 0 && inner.depth < MAX_DEPTH) {
    const names = kinds.map((kind) => typeOf(kind, { ...inner, depth: inner.depth + 1 }));
    return [...new Set(names)].join(' or ') + orNull;
  }
  const type = baseType(node);
  if (type === 'array') {
    const item = inner.depth < MAX_DEPTH && !recursive ? itemType(node, inner) : 'any';
    return `array of ${item}${orNull}`;
  }
  const mapped = record(node['additionalProperties']);
  if (type === 'object' && !isEmpty(mapped) && isEmpty(record(node['properties']))) {
    return `map of ${recursive ? 'any' : typeOf(mapped, { ...inner, depth: inner.depth + 1 })}${orNull}`;
  }
  const format = text(node['format']);
  return (format && type === 'string' ? `${type} (${format})` : type) + orNull;
}

function itemType(node: Json, place: Place): string {
  return typeOf(node['items'], { ...place, depth: place.depth + 1 });
}

/** How an alternative differs from the others: its fixed properties, its title, or its number. */
function captionOf(schema: unknown, place: Place, index: number): string {
  const { node } = open(schema, place);
  const fixed = Object.entries(record(node['properties'])).flatMap(([name, value]) => {
    const { node: property } = open(value, place);
    const values = property['const'] === undefined ? list(property['enum']) : [property['const']];
    const shown = values.map((fixedValue) => JSON.stringify(fixedValue)).join(' or ');
    return values.length > 0 && values.length <= 4 ? [`${name} is ${shown}`] : [];
  });
  const title = text(node['title']);
  if (fixed.length > 0) return `When ${fixed[0]}`;
  return title || `Form ${index + 1}`;
}

const hasRows = (rows: readonly Row[]): boolean => rows.length > 0;

function alternativeRows(node: Json, prefix: string, place: Place): Row[] {
  const kinds = alternatives(node);
  const tables = kinds.map((kind) => rowsOf(kind, prefix, place));
  if (kinds.length === 1) return tables[0] ?? [];
  return tables.flatMap((rows, index) => {
    const name = captionOf(kinds[index], place, index);
    const caption =
      prefix === '' ? name : `${prefix}: ${name.charAt(0).toLowerCase()}${name.slice(1)}`;
    return hasRows(rows) ? [{ kind: 'caption' as const, text: caption }, ...rows] : [];
  });
}

/** The rows below a schema; none for a plain value. `prefix` is the dotted name that leads here. */
export function rowsOf(schema: unknown, prefix: string, from: Place): Row[] {
  const { node, place, recursive } = open(schema, from);
  if (recursive || place.depth >= MAX_DEPTH) return [];
  const below: Place = { ...place, depth: place.depth + 1 };
  const required = new Set(list(node['required']));
  // What stands under a caption belongs to it, so rows with captions come after the plain ones.
  const captioned: Row[] = [];
  const own = Object.entries(record(node['properties'])).flatMap(([name, value]): Row[] => {
    const full = prefix === '' ? name : `${prefix}.${name}`;
    const property: Property = {
      kind: 'property',
      name: full,
      type: typeOf(value, below),
      required: required.has(name),
      limits: limitsOf(open(value, below).node),
      description: text(open(value, below).node['description']),
    };
    const nested = rowsOf(value, full, below);
    const caption = nested.findIndex((row) => row.kind === 'caption');
    if (caption >= 0) captioned.push(...nested.splice(caption));
    return [property, ...nested];
  });
  const items = node['items'] === undefined ? [] : rowsOf(node['items'], `${prefix}[]`, below);
  const mapped = record(node['additionalProperties']);
  const entries = isEmpty(mapped) ? [] : rowsOf(mapped, `${prefix}{}`, below);
  return [...own, ...captioned, ...items, ...entries, ...alternativeRows(node, prefix, below)];
}

function between(low: unknown, high: unknown, unit: string): string[] {
  const min = typeof low === 'number' && Math.abs(low) < Number.MAX_SAFE_INTEGER ? low : undefined;
  const max =
    typeof high === 'number' && Math.abs(high) < Number.MAX_SAFE_INTEGER ? high : undefined;
  const units = (amount: number) => (unit === '' ? '' : ` ${unit}${amount === 1 ? '' : 's'}`);
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${units(max)}`];
  if (min !== undefined) return [`at least ${min}${units(min)}`];
  return max === undefined ? [] : [`at most ${max}${units(max)}`];
}

/** What a value must keep to, in words. Bounds at the safe-integer limits say nothing and go. */
export function limitsOf(node: Json): string[] {
  const kinds = alternatives(node);
  const only = kinds.length === 1 ? record(kinds[0]) : {};
  const all: Json = { ...only, ...node };
  const above = all['exclusiveMinimum'];
  const under = all['exclusiveMaximum'];
  return [
    ...between(all['minimum'], all['maximum'], ''),
    ...(typeof above === 'number' ? [`more than ${above}`] : []),
    ...(typeof under === 'number' ? [`less than ${under}`] : []),
    ...between(all['minLength'], all['maxLength'], 'character'),
    ...between(all['minItems'], all['maxItems'], 'item'),
    // A format says the same as its pattern, and says it better.
    ...(typeof all['pattern'] === 'string' && all['format'] === undefined
      ? [`matches ${all['pattern']}`]
      : []),
    ...(all['default'] === undefined ? [] : [`default ${JSON.stringify(all['default'])}`]),
  ];
}
