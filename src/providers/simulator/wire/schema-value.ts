// A value that satisfies a JSON schema: what a model would fill in, without a model. Google writes its types in
// capitals and means the same.
import { isRecord, list, name, record } from './loose-json.ts';
import type { Json } from './loose-json.ts';

/** Below this, only what is required: a schema may hold itself. */
const FULL_DEPTH = 4;
const MAX_DEPTH = 32;
const MAX_ITEMS = 100;
const MAX_LENGTH = 10_000;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'PT1S',
  email: 'simulated@example.com',
  uri: 'https://example.com/simulated',
  url: 'https://example.com/simulated',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '00000000-0000-4000-8000-000000000000',
};

export function valueFor(schema: unknown): unknown {
  return fill(schema, record(schema), 0);
}

function fill(given: unknown, root: Json, depth: number): unknown {
  if (depth > MAX_DEPTH || !isRecord(given)) return null;
  const schema = whole(given, root);
  if (schema.const !== undefined) return schema.const;
  const [first] = list(schema.enum);
  if (first !== undefined) return first;
  switch (typeOf(schema)) {
    case 'object':
      return fillObject(schema, root, depth);
    case 'array':
      return fillArray(schema, root, depth);
    case 'string':
      return fillText(schema);
    case 'number':
      return fillNumber(schema, false);
    case 'integer':
      return fillNumber(schema, true);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

/** With what it refers to, with all of its parts, and with the first of its alternatives that is not null. */
function whole(schema: Json, root: Json, depth = 0): Json {
  if (depth > MAX_DEPTH) return schema;
  const into = (part: unknown) => whole(record(part), root, depth + 1);
  const target = name(schema.$ref);
  if (target !== undefined) {
    const { $ref: _, ...rest } = schema;
    return { ...into(resolve(target, root)), ...rest };
  }
  const alternatives = list(schema.anyOf ?? schema.oneOf);
  if (alternatives.length > 0) {
    const { anyOf: _, oneOf: __, ...rest } = schema;
    const chosen = alternatives.find((each) => typeOf(into(each)) !== 'null') ?? alternatives[0];
    return merged(rest, into(chosen));
  }
  return list(schema.allOf).reduce((all: Json, part) => merged(all, into(part)), schema);
}

function merged(one: Json, other: Json): Json {
  return {
    ...one,
    ...other,
    ...(one.properties !== undefined && {
      properties: { ...record(one.properties), ...record(other.properties) },
      required: [...list(one.required), ...list(other.required)],
    }),
  };
}

/** Within the schema itself, `#/$defs/Name`; anything else means nothing here. */
function resolve(target: string, root: Json): unknown {
  if (!target.startsWith('#')) return {};
  const names = target.split('/').slice(1);
  return names.reduce(
    (at: unknown, each) =>
      record(at)[decodeURIComponent(each).replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  );
}

function typeOf(schema: Json): string {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const type = types.find((each) => each !== 'null') ?? types[0];
  if (typeof type === 'string') return type.toLowerCase();
  if (schema.enum !== undefined || schema.const !== undefined) return 'any';
  if (schema.items !== undefined) return 'array';
  return 'object';
}

function fillObject(schema: Json, root: Json, depth: number): Json {
  const properties = Object.entries(record(schema.properties));
  const required = new Set(list(schema.required));
  const wanted = properties.filter(([key]) => depth < FULL_DEPTH || required.has(key));
  return Object.fromEntries(wanted.map(([key, of]) => [key, fill(of, root, depth + 1)]));
}

function fillArray(schema: Json, root: Json, depth: number): unknown[] {
  const fixed = list(schema.prefixItems);
  if (fixed.length > 0) return fixed.map((of) => fill(of, root, depth + 1));
  const least = Number(schema.minItems ?? (depth < FULL_DEPTH ? 1 : 0));
  const most = Number(schema.maxItems ?? MAX_ITEMS);
  const length = Math.max(0, Math.min(least, most, MAX_ITEMS)) || 0;
  return Array.from({ length }, () => fill(schema.items ?? { type: 'string' }, root, depth + 1));
}

function fillText(schema: Json): string {
  const known = FORMATS[String(schema.format)];
  if (known !== undefined) return known;
  const least = Math.min(Number(schema.minLength ?? 0) || 0, MAX_LENGTH);
  const most = Number(schema.maxLength ?? MAX_LENGTH);
  return 'simulated'.padEnd(least, '.').slice(0, Math.max(0, most));
}

function fillNumber(schema: Json, isWhole: boolean): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1;
  const isNumber = (value: unknown): value is number => typeof value === 'number';
  const low = isNumber(minimum)
    ? minimum
    : isNumber(exclusiveMinimum)
      ? exclusiveMinimum
      : undefined;
  const high = isNumber(maximum)
    ? maximum
    : isNumber(exclusiveMaximum)
      ? exclusiveMaximum
      : undefined;
  const fits = (value: number) =>
    (!isNumber(minimum) || value >= minimum) &&
    (!isNumber(exclusiveMinimum) || value > exclusiveMinimum) &&
    (!isNumber(maximum) || value <= maximum) &&
    (!isNumber(exclusiveMaximum) || value < exclusiveMaximum);
  const up = low === undefined ? undefined : Math.ceil(low / step) * step;
  const down = high === undefined ? undefined : Math.floor(high / step) * step;
  const candidates = [step, up, up === undefined ? undefined : up + step, down];
  if (down !== undefined) candidates.push(down - step);
  // Between two limits that are close together.
  if (!isWhole && low !== undefined && high !== undefined) candidates.push((low + high) / 2);
  return candidates.find((value) => value !== undefined && fits(value)) ?? low ?? high ?? step;
}
