import { rules } from './rules.ts';

export const HTTP_RULES = [
  ...rules('interface 1', 'http', {
    'http.surface.jobs': 'The job API lives under /api/v1.',
  }),
  ...rules('interface 1', 'executions', {
    'http.surface.executions': 'The executions API lives under /v1.',
  }),
  ...rules('interface 4', 'http', {
    'http.json': 'Payloads are JSON both ways.',
  }),
  ...rules('interface 7', 'http', {
    'http.error.envelope': 'Every error body is {error: {code, message}}.',
    'http.error.not-found': 'A missing resource is NOT_FOUND with 404.',
    'http.error.validation': 'A body that does not fit is VALIDATION_ERROR with 400.',
    'http.error.internal': 'A server fault is INTERNAL_ERROR with 500.',
    'http.error.table': 'The code of an error decides its HTTP status, from one table.',
  }),
  ...rules('decisions 1', 'http', {
    'http.ids': 'Ids are a prefix such as job_, then a UUIDv7 in base32, and sort by age.',
  }),
  ...rules('decisions 2', 'http', {
    'http.success.ok': 'What neither creates nor queues anything answers 200.',
    'http.error.details': 'The details of a VALIDATION_ERROR list {path, code, message}.',
    'http.error.details-limit':
      'At most 100 details are listed; the message says that there are more.',
    'http.error.further-codes':
      'CONFLICT 409, IDEMPOTENCY_KEY_REUSED 422, PAYLOAD_TOO_LARGE 413, METHOD_NOT_ALLOWED 405, UNSUPPORTED_MEDIA_TYPE 415, SERVICE_UNAVAILABLE 503 and ACCOUNT_SUSPENDED 403 exist.',
    'http.error.unavailable-retry-after': 'SERVICE_UNAVAILABLE carries Retry-After.',
    'http.error.unavailable-soon':
      'When the database does not answer, every route that needs it says so within 6 seconds.',
    'http.error.malformed-json': 'Malformed JSON gets the same envelope.',
    'http.error.unknown-route': 'An unknown route gets the same envelope with 404.',
    'http.error.method': 'A known route with another method is 405.',
    'http.error.media-type': 'A body that is not JSON is 415.',
    'http.error.framework': 'Errors that the HTTP framework finds get the same envelope.',
    'http.error.no-leak': 'An INTERNAL_ERROR shows no stack, SQL or path.',
    'http.request-id': 'Every response carries X-Request-Id.',
    'http.request-id.logged': 'The log line of a request carries the id of its response.',
    'http.idempotency.replay':
      'The same Idempotency-Key and body give the first reply again, marked Idempotency-Replayed: true.',
    'http.idempotency.concurrent': 'That also holds when both requests arrive at once.',
    'http.idempotency.reused': 'The same key with another body is 422 IDEMPOTENCY_KEY_REUSED.',
    'http.idempotency.length': 'An Idempotency-Key has 1 to 255 characters, else 400.',
    'http.idempotency.per-caller': 'Two callers may use the same key without meeting each other.',
    'http.idempotency.kept': 'A key is remembered for 24 hours.',
    'http.body.size': 'A body above 8 MiB is 413.',
    'http.body.unknown-fields': 'Unknown fields of a body are ignored.',
    'http.openapi': 'GET /openapi.json is an OpenAPI 3.1 document.',
    'http.openapi.same-schemas':
      'The document is made from the very schemas that validate requests.',
    'http.openapi.webhooks':
      'The document tells what is sent for each of the five events of an execution.',
    'http.docs':
      'GET /docs is the documentation, with a readable reference of the API at /docs/api.',
    'http.healthz': 'GET /healthz answers while the process lives.',
    'http.readyz': 'GET /readyz answers 200 only when requests can be served.',
    'http.metrics': 'GET /metrics gives Prometheus figures.',
    'http.metrics.queue':
      'GET /metrics/queue tells how much work there is for how many workers, as JSON.',
  }),
  ...rules('decisions 14', 'http', {
    'http.cors.none': 'Browsers of other origins may call nothing unless they are named.',
    'http.cors.named': 'Origins that MILLRACE_CORS_ORIGINS names may call the whole API.',
    'http.cors.no-credentials': 'Cookies are never let through from another origin.',
  }),
  ...rules('decisions 2', 'accounts', {
    'http.success.created': 'What creates something answers 201.',
  }),
  ...rules('decisions 2', 'provider-keys', {
    'http.success.deleted': 'A DELETE answers 200 with its body.',
  }),
  ...rules('decisions 2', 'executions', {
    'http.paging.bad-cursor': 'A cursor that cannot be read is 400.',
    'http.openapi.executions': 'The OpenAPI document covers the executions API too.',
  }),
];

export const VERSIONING_RULES = [
  ...rules('interface 9', 'versioning', {
    'versioning.prefix.jobs': 'The version of the job API is in its path: /api/v1.',
    'versioning.release-label': 'The interface is labelled 1.0.0-rc.1.',
  }),
  ...rules('interface 9', 'executions', {
    'versioning.prefix.executions': 'The version of the executions API is in its path: /v1.',
  }),
  ...rules('decisions 12', 'versioning', {
    'versioning.openapi.product': "The OpenAPI document carries the product's version.",
    'versioning.openapi.interface': 'It carries x-interface-version 1.0.0-rc.1.',
    'versioning.path-only': 'An unknown version in the path is 404; nothing else selects one.',
  }),
  ...rules('decisions 12', 'manifests', {
    'versioning.notation-b': 'The JSON Schema of notation B is labelled 5.0.',
  }),
  ...rules('decisions 12', 'deprecation', {
    'versioning.additive': 'A client that knows only the first interface keeps working unchanged.',
    'versioning.sunset':
      'A breaking change gets a new prefix; the old one stays 12 months with Deprecation and Sunset headers.',
  }),
];
