// What is wrong with an answer, whatever the request was.
import { ERROR_CODES } from '../../src/contract/errors.ts';
import type { RawAnswer, RawRequest } from './fuzz-socket.ts';
import { ROUTES, documentedResponses } from './route-table.ts';
import type { ApiDocument, Route } from './route-table.ts';

type Schema = Record<string, unknown>;

const TYPES: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** As much of JSON Schema as tells a right answer from a wrong one. */
export function fits(schema: Schema, value: unknown, document: ApiDocument): boolean {
  const { $ref: ref, type, properties = {}, required = [], items } = schema;
  if (typeof ref === 'string') {
    const named = document.components.schemas[ref.slice(ref.lastIndexOf('/') + 1)];
    return named !== undefined && fits(named as Schema, value, document);
  }
  const choices = (schema['oneOf'] ?? schema['anyOf']) as Schema[] | undefined;
  if (choices !== undefined && !choices.some((one) => fits(one, value, document))) return false;
  if ('const' in schema && schema['const'] !== value) return false;
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(value)) return false;
  const types = (type === undefined ? [] : [type].flat()) as string[];
  if (types.length > 0 && !types.some((one) => TYPES[one]?.(value))) return false;
  if (Array.isArray(value)) {
    return items === undefined || value.every((one) => fits(items as Schema, one, document));
  }
  if (!TYPES['object']!(value)) return true;
  const object = value as Record<string, unknown>;
  return (
    (required as string[]).every((name) => Object.hasOwn(object, name)) &&
    Object.entries(properties as Record<string, Schema>).every(
      ([name, one]) => !Object.hasOwn(object, name) || fits(one, object[name], document),
    )
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A page of the documents that is not there: a person who asked for pages gets one. */
function isMissingPage(request: RawRequest, answer: RawAnswer): boolean {
  const accepts = request.headers.some(
    ([name, value]) => name.toLowerCase() === 'accept' && value.includes('text/html'),
  );
  const type = answer.headers.get('content-type') ?? '';
  return answer.status === 404 && accepts && type.startsWith('text/html');
}

function errorProblem(request: RawRequest, answer: RawAnswer): string | undefined {
  if (answer.status >= 500) return 'is a server fault';
  if (isMissingPage(request, answer)) return undefined;
  if (!answer.headers.get('content-type')?.startsWith('application/json')) return 'is not JSON';
  if (request.method === 'HEAD') return undefined;
  const body = parsed(answer.body) as { error?: Record<string, unknown> } | undefined;
  const error = body?.error;
  if (error === undefined || Object.keys(body!).length !== 1) return 'lacks the envelope';
  const { code, message, details, ...more } = error;
  const known = Object.entries(ERROR_CODES).find(([name]) => name === code)?.[1];
  if (known?.status !== answer.status) return 'has a code that is not of its status';
  if (typeof message !== 'string' || message === '') return 'has no message';
  if (details !== undefined && (typeof details !== 'object' || details === null))
    return 'has odd details';
  return Object.keys(more).length === 0 ? undefined : 'says more than it should';
}

function routeOf(request: RawRequest): Route | undefined {
  const target = request.target.split(/[?#;]/, 1)[0]!.replace(/^http:\/\/[^/]+/, '');
  // The framework takes both for the page at the root.
  const path = target === '*' || target === '' ? '/' : target;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return ROUTES.find(
    (route) =>
      route.method === method &&
      new RegExp(
        `^${route.path.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll(/:\w+/g, '[^/]+')}$`,
      ).test(path),
  );
}

function successProblem(
  request: RawRequest,
  answer: RawAnswer,
  document: ApiDocument,
): string | undefined {
  const route = routeOf(request);
  if (route === undefined) return 'succeeds where there is no route';
  if (route.kind === 'public') return answer.status === route.ok ? undefined : 'is not documented';
  const response = documentedResponses(document, route)?.[String(answer.status)];
  if (response === undefined) return 'is not documented';
  const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const content = response.content?.[type];
  if (content === undefined) return `has the undocumented type ${type}`;
  if (request.method === 'HEAD') return undefined;
  if (type === 'application/zip') {
    // What is at the end of an archive: it is whole.
    return answer.body.includes('PK\u0005\u0006') ? undefined : 'is an archive without an end';
  }
  if (type !== 'application/json') {
    return answer.body.includes('event: done') ? undefined : 'is a stream without an end';
  }
  const body = parsed(answer.body);
  return fits(content.schema as Schema, body, document) ? undefined : 'does not fit its schema';
}

/** Of a route that has a protocol of its own: a message, a stream of them, or no more than a status. */
function toolProblem(request: RawRequest, answer: RawAnswer): string | undefined {
  const type = answer.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return undefined;
  const body = parsed(answer.body) as { jsonrpc?: string; error?: { code?: unknown } } | undefined;
  if (body?.jsonrpc !== '2.0') {
    if (answer.status === 202 && answer.body === '') return undefined;
    return errorProblem(request, answer);
  }
  if (answer.status >= 500) return 'is a server fault';
  if (answer.status < 300) return undefined;
  return Number.isInteger(body.error?.code) ? undefined : 'is an error without a code';
}

/** Nothing is called there by chance: every answer is a refusal in words. */
function modelProblem({ method }: RawRequest, answer: RawAnswer): string | undefined {
  if (answer.status >= 500 || answer.status < 400) return 'has a status of no use';
  if (answer.headers.get('x-millrace-request-id') === null) return 'lacks the id of the request';
  if (method === 'HEAD') return undefined;
  const { error } = (parsed(answer.body) ?? {}) as { error?: { message?: unknown } };
  return typeof error?.message === 'string' ? undefined : 'is an error without a message';
}

/** Undefined when the answer is as it must be. */
export function problemOf(
  request: RawRequest,
  answer: RawAnswer | undefined,
  document: ApiDocument,
): string | undefined {
  // Node closes the connection of a CONNECT that nobody serves.
  if (answer === undefined) return request.method === 'CONNECT' ? undefined : 'is missing';
  if (routeOf(request)?.kind === 'model') return modelProblem(request, answer);
  if (!answer.headers.get('x-request-id')) return 'lacks X-Request-Id';
  if (routeOf(request)?.kind === 'tools') return toolProblem(request, answer);
  if (answer.status >= 400) return errorProblem(request, answer);
  if (answer.status >= 200 && answer.status < 300) {
    return successProblem(request, answer, document);
  }
  return 'has a status of no use';
}
