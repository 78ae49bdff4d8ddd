// What GitHub's own description of its API says of a call and its answer.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';

interface Body {
  schema: object;
  example: unknown;
}

interface Call {
  method: string;
  path: string;
  body: object | null;
  responses: Record<string, Body | null>;
}

const { calls, schemas } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'github-openapi.json'), 'utf8'),
) as { calls: Call[]; schemas: object };

const ajv = new Ajv({ strict: false, allErrors: false });
const known = new Map<object, ValidateFunction>();

function problemOf(schema: object, value: unknown): string | undefined {
  let validate = known.get(schema);
  if (validate === undefined) {
    validate = ajv.compile({ ...schema, schemas });
    known.set(schema, validate);
  }
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

const fits = (template: string, path: string) =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

const callOf = (method: string, path: string) =>
  calls.find((call) => call.method === method && fits(call.path, path));

/** Ours over what they show as an example: so every answer has all the fields that theirs have. */
function over(example: unknown, ours: unknown): unknown {
  if (Array.isArray(ours)) {
    const [first] = Array.isArray(example) ? (example as unknown[]) : [];
    return ours.map((one) => over(first, one));
  }
  if (typeof ours !== 'object' || ours === null) return ours;
  const base = typeof example === 'object' && !Array.isArray(example) ? example : null;
  const all: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(ours)) all[key] = over(all[key], value);
  return all;
}

export const askedWrongly = (method: string, path: string, body: object): string | undefined => {
  const call = callOf(method, path);
  if (call === undefined) return `GitHub has no ${method} ${path}`;
  const problem = call.body === null ? undefined : problemOf(call.body, body);
  return problem && `${method} ${path}: ${problem}`;
};

export interface Described {
  body: unknown;
  /** The double's own fault. */
  fault?: string;
}

export function asDescribed(
  { method, path }: { method: string; path: string },
  status: number,
  ours: unknown,
): Described {
  const call = callOf(method, path);
  const response = call?.responses[String(status)];
  if (response === undefined) return { body: ours };
  if (response === null) return { body: ours };
  const body = status < 300 ? over(response.example, ours) : ours;
  const problem = problemOf(response.schema, body);
  return { body, ...(problem && { fault: `answer ${status} to ${method} ${path}: ${problem}` }) };
}
