// Every route of the server, with what a test must know to use it. Tests hold this table against
// the running server's description and against the source, so a route that is added without a line
// here fails them.
import { readFileSync, readdirSync } from 'node:fs';
import { MODEL_METHODS, MODEL_ROOT } from '../../src/http/model/model-paths.ts';
import { WEB_ASSETS, WEB_PAGES } from '../../src/http/web/web-pages.ts';

/**
 * Whose data a route shows: that decides what a stranger gets. `mine` names nobody: each caller sees
 * what is their own.
 */
export type RouteKind =
  | 'public'
  /** Makes or continues a run of the caller's own. */
  | 'submit'
  | 'job'
  | 'list'
  | 'run'
  /** What a command line tells of its run. */
  | 'report'
  | 'mine'
  | 'webhook'
  | 'execution'
  | 'approval'
  /** About the caller; any key will do. */
  | 'caller'
  /** For people who are signed in: no key opens it. */
  | 'person'
  /** How people get in: whoever calls. */
  | 'entry'
  | 'api-key'
  | 'team'
  /** Speaks a protocol of its own, errors included, once it knows the caller. */
  | 'tools'
  /** Answers, errors included, as the vendor does whose client it is for. */
  | 'model';

export interface Route {
  method: string;
  /**
   * With `:id` for the id of a job, a run, a webhook, an execution, an API key or a team, `:provider` for the name of a provider,
   * `:deliveryId` for what was sent to the webhook.
   */
  path: string;
  kind: RouteKind;
  /** The answer to a valid request of the owner, as used in tests. */
  ok: number;
}

export const ROUTES: readonly Route[] = [
  { method: 'POST', path: '/api/v1/execute', kind: 'submit', ok: 202 },
  { method: 'GET', path: '/api/v1/job/:id', kind: 'job', ok: 200 },
  { method: 'POST', path: '/api/v1/job/:id/cancel', kind: 'job', ok: 200 },
  { method: 'GET', path: '/api/v1/job/:id/events', kind: 'job', ok: 200 },
  { method: 'GET', path: '/api/v1/job/:id/request', kind: 'job', ok: 200 },
  { method: 'GET', path: '/api/v1/jobs', kind: 'mine', ok: 200 },
  { method: 'GET', path: '/api/v1/history', kind: 'list', ok: 200 },
  { method: 'GET', path: '/api/v1/history/:id', kind: 'run', ok: 200 },
  { method: 'PUT', path: '/api/v1/history/:id', kind: 'run', ok: 200 },
  // Without topics: with them it would go on.
  { method: 'GET', path: '/api/v1/events', kind: 'mine', ok: 400 },
  { method: 'POST', path: '/api/v1/runs/:id/events', kind: 'submit', ok: 200 },
  { method: 'GET', path: '/api/v1/runs/:id/changes', kind: 'report', ok: 200 },
  { method: 'GET', path: '/api/v1/runs/:id/manifest', kind: 'report', ok: 200 },
  { method: 'POST', path: '/api/v1/runs/:id/cancel', kind: 'report', ok: 200 },
  { method: 'POST', path: '/api/v1/runs/:id/shares', kind: 'report', ok: 201 },
  { method: 'GET', path: '/api/v1/runs/:id/shares', kind: 'report', ok: 200 },
  { method: 'POST', path: '/v1/stream-tokens', kind: 'mine', ok: 201 },
  // Of a token that nobody has made.
  { method: 'POST', path: '/v1/stream-tokens/:id/renew', kind: 'mine', ok: 404 },
  { method: 'DELETE', path: '/v1/stream-tokens/:id', kind: 'mine', ok: 404 },
  { method: 'PUT', path: '/v1/runs/:id/caps', kind: 'mine', ok: 200 },
  { method: 'GET', path: '/v1/runs/:id/caps', kind: 'mine', ok: 200 },
  // Of a link that nobody has made.
  { method: 'DELETE', path: '/api/v1/runs/:id/shares/:shareId', kind: 'report', ok: 404 },
  // Without the secret of a link.
  { method: 'GET', path: '/api/v1/shared/:id', kind: 'entry', ok: 404 },
  { method: 'GET', path: '/api/v1/shared/:id/changes', kind: 'entry', ok: 404 },
  { method: 'GET', path: '/api/v1/keys', kind: 'mine', ok: 200 },
  { method: 'POST', path: '/api/v1/keys', kind: 'mine', ok: 201 },
  { method: 'POST', path: '/api/v1/keys/:provider/test', kind: 'mine', ok: 200 },
  { method: 'DELETE', path: '/api/v1/keys/:provider', kind: 'mine', ok: 200 },
  { method: 'POST', path: '/v1/executions', kind: 'mine', ok: 202 },
  { method: 'GET', path: '/v1/executions', kind: 'mine', ok: 200 },
  { method: 'GET', path: '/v1/executions/:id', kind: 'execution', ok: 200 },
  { method: 'POST', path: '/v1/executions/:id/run', kind: 'execution', ok: 202 },
  { method: 'POST', path: '/v1/executions/:id/cancel', kind: 'execution', ok: 200 },
  { method: 'GET', path: '/v1/executions/:id/events', kind: 'execution', ok: 200 },
  // Without a message: what it does with one is for tests of its own.
  { method: 'POST', path: '/mcp', kind: 'tools', ok: 415 },
  // No call has this name.
  ...MODEL_METHODS.map(
    (method) => ({ method, path: `${MODEL_ROOT}/*`, kind: 'model', ok: 404 }) as const,
  ),
  { method: 'POST', path: '/v1/approvals', kind: 'mine', ok: 201 },
  { method: 'GET', path: '/v1/approvals', kind: 'mine', ok: 200 },
  { method: 'GET', path: '/v1/approvals/:id', kind: 'approval', ok: 200 },
  { method: 'PUT', path: '/v1/approvals/:id/review/files', kind: 'approval', ok: 200 },
  { method: 'GET', path: '/v1/approvals/:id/review', kind: 'approval', ok: 200 },
  { method: 'GET', path: '/v1/approvals/:id/review/files', kind: 'approval', ok: 200 },
  { method: 'PATCH', path: '/v1/approvals/:id/review/draft', kind: 'approval', ok: 200 },
  { method: 'POST', path: '/v1/approvals/:id/resolve', kind: 'approval', ok: 200 },
  { method: 'POST', path: '/v1/approvals/:id/review/take', kind: 'approval', ok: 200 },
  { method: 'PUT', path: '/v1/approvals/:id/review/outcome', kind: 'approval', ok: 200 },
  // After that it cannot be withdrawn any more.
  { method: 'POST', path: '/v1/approvals/:id/withdraw', kind: 'approval', ok: 409 },
  // Of a project that no runner has.
  { method: 'POST', path: '/v1/run-requests', kind: 'mine', ok: 400 },
  { method: 'GET', path: '/v1/run-requests', kind: 'mine', ok: 200 },
  // Of a request that nobody has made: whose each is, test/runners shows.
  { method: 'GET', path: '/v1/run-requests/:id', kind: 'mine', ok: 404 },
  { method: 'POST', path: '/v1/run-requests/:id/cancel', kind: 'mine', ok: 404 },
  { method: 'PUT', path: '/v1/run-requests/:id/progress', kind: 'mine', ok: 404 },
  { method: 'PUT', path: '/v1/run-requests/:id/end', kind: 'mine', ok: 404 },
  { method: 'PUT', path: '/v1/run-requests/:id/release', kind: 'mine', ok: 404 },
  { method: 'GET', path: '/v1/run-requests/:id/answers/:key', kind: 'person', ok: 403 },
  { method: 'PUT', path: '/v1/run-requests/:id/answers/:key', kind: 'person', ok: 403 },
  { method: 'POST', path: '/v1/runners', kind: 'mine', ok: 200 },
  { method: 'POST', path: '/v1/runners/:id/poll', kind: 'mine', ok: 409 },
  { method: 'GET', path: '/v1/runners', kind: 'mine', ok: 200 },
  { method: 'GET', path: '/v1/runners/:id', kind: 'mine', ok: 404 },
  { method: 'PATCH', path: '/v1/runners/:id', kind: 'mine', ok: 404 },
  { method: 'DELETE', path: '/v1/runners/:id', kind: 'mine', ok: 404 },
  { method: 'GET', path: '/v1/projects', kind: 'mine', ok: 200 },
  { method: 'PATCH', path: '/v1/projects/:name', kind: 'mine', ok: 200 },
  { method: 'GET', path: '/v1/schedules', kind: 'mine', ok: 200 },
  { method: 'POST', path: '/v1/schedules', kind: 'mine', ok: 201 },
  // Of a schedule that nobody has made: whose each is, test/schedules shows.
  { method: 'GET', path: '/v1/schedules/:id', kind: 'mine', ok: 404 },
  { method: 'PATCH', path: '/v1/schedules/:id', kind: 'mine', ok: 404 },
  { method: 'DELETE', path: '/v1/schedules/:id', kind: 'mine', ok: 404 },
  { method: 'POST', path: '/v1/schedules/:id/run-now', kind: 'mine', ok: 404 },
  { method: 'GET', path: '/v1/schedules/:id/firings', kind: 'mine', ok: 404 },
  { method: 'GET', path: '/v1/triggers', kind: 'mine', ok: 200 },
  { method: 'POST', path: '/v1/triggers', kind: 'mine', ok: 201 },
  // Of a trigger that nobody has made: whose each is, test/triggers shows.
  { method: 'GET', path: '/v1/triggers/:id', kind: 'mine', ok: 404 },
  { method: 'PATCH', path: '/v1/triggers/:id', kind: 'mine', ok: 404 },
  { method: 'DELETE', path: '/v1/triggers/:id', kind: 'mine', ok: 404 },
  { method: 'POST', path: '/v1/triggers/:id/rotate', kind: 'mine', ok: 404 },
  { method: 'POST', path: '/v1/triggers/:id/test', kind: 'mine', ok: 404 },
  { method: 'GET', path: '/v1/triggers/:id/deliveries', kind: 'mine', ok: 404 },
  { method: 'POST', path: '/v1/triggers/:id/deliveries/:deliveryId/replay', kind: 'mine', ok: 404 },
  { method: 'POST', path: '/v1/hooks/:triggerId', kind: 'entry', ok: 404 },
  { method: 'POST', path: '/v1/hooks/:triggerId/:token', kind: 'entry', ok: 404 },
  { method: 'GET', path: '/v1/webhooks', kind: 'mine', ok: 200 },
  { method: 'POST', path: '/v1/webhooks', kind: 'mine', ok: 201 },
  { method: 'GET', path: '/v1/webhooks/:id', kind: 'webhook', ok: 200 },
  { method: 'PATCH', path: '/v1/webhooks/:id', kind: 'webhook', ok: 200 },
  { method: 'POST', path: '/v1/webhooks/:id/rotate-secret', kind: 'webhook', ok: 200 },
  { method: 'POST', path: '/v1/webhooks/:id/test', kind: 'webhook', ok: 202 },
  { method: 'GET', path: '/v1/webhooks/:id/deliveries', kind: 'webhook', ok: 200 },
  {
    method: 'POST',
    path: '/v1/webhooks/:id/deliveries/:deliveryId/redeliver',
    kind: 'webhook',
    ok: 202,
  },
  // Last of its kind: the tests use one webhook for all of them.
  { method: 'DELETE', path: '/v1/webhooks/:id', kind: 'webhook', ok: 200 },
  { method: 'GET', path: '/api/v1/auth/me', kind: 'caller', ok: 200 },
  { method: 'PATCH', path: '/api/v1/auth/me', kind: 'person', ok: 200 },
  { method: 'POST', path: '/api/v1/auth/logout', kind: 'person', ok: 200 },
  { method: 'GET', path: '/api/v1/auth/sessions', kind: 'person', ok: 200 },
  { method: 'DELETE', path: '/api/v1/auth/sessions', kind: 'person', ok: 200 },
  { method: 'DELETE', path: '/api/v1/auth/sessions/:id', kind: 'person', ok: 200 },
  { method: 'POST', path: '/api/v1/auth/password', kind: 'person', ok: 200 },
  { method: 'GET', path: '/api/v1/auth/export', kind: 'person', ok: 200 },
  { method: 'POST', path: '/api/v1/auth/delete-account', kind: 'person', ok: 200 },
  { method: 'POST', path: '/api/v1/auth/device/lookup', kind: 'person', ok: 200 },
  { method: 'POST', path: '/api/v1/auth/device/decision', kind: 'person', ok: 200 },
  { method: 'GET', path: '/v1/teams', kind: 'mine', ok: 200 },
  { method: 'POST', path: '/v1/teams', kind: 'mine', ok: 201 },
  { method: 'GET', path: '/v1/teams/:id', kind: 'team', ok: 200 },
  { method: 'PATCH', path: '/v1/teams/:id', kind: 'team', ok: 200 },
  { method: 'GET', path: '/v1/teams/:id/export', kind: 'team', ok: 200 },
  { method: 'GET', path: '/v1/teams/:id/members', kind: 'team', ok: 200 },
  { method: 'POST', path: '/v1/teams/:id/members', kind: 'team', ok: 201 },
  { method: 'PATCH', path: '/v1/teams/:id/members/:userId', kind: 'team', ok: 200 },
  { method: 'DELETE', path: '/v1/teams/:id/members/:userId', kind: 'team', ok: 200 },
  { method: 'GET', path: '/v1/teams/:id/api-keys', kind: 'team', ok: 200 },
  { method: 'DELETE', path: '/v1/teams/:id/api-keys/:keyId', kind: 'team', ok: 404 },
  // Last of its kind.
  { method: 'DELETE', path: '/v1/teams/:id', kind: 'team', ok: 200 },
  // Of an invitation that nobody has made.
  { method: 'POST', path: '/v1/invitations/accept', kind: 'mine', ok: 404 },
  { method: 'GET', path: '/v1/usage/current', kind: 'mine', ok: 200 },
  { method: 'GET', path: '/v1/usage/history', kind: 'mine', ok: 200 },
  // Without the models.
  { method: 'GET', path: '/api/v1/prices', kind: 'caller', ok: 400 },
  { method: 'GET', path: '/api/v1/models', kind: 'caller', ok: 400 },
  { method: 'GET', path: '/v1/billing/subscription', kind: 'mine', ok: 200 },
  { method: 'POST', path: '/v1/billing/subscription', kind: 'mine', ok: 200 },
  // Where nobody charges for plans.
  { method: 'POST', path: '/v1/billing/portal', kind: 'mine', ok: 409 },
  { method: 'GET', path: '/api/v1/api-keys', kind: 'mine', ok: 200 },
  { method: 'POST', path: '/api/v1/api-keys', kind: 'mine', ok: 201 },
  { method: 'POST', path: '/api/v1/api-keys/:id/rotate', kind: 'api-key', ok: 201 },
  { method: 'DELETE', path: '/api/v1/api-keys/:id', kind: 'api-key', ok: 200 },
  // Keys with the scope pass; their owner does not manage the server.
  { method: 'POST', path: '/api/v1/admin/password-resets', kind: 'person', ok: 201 },
  { method: 'GET', path: '/api/v1/admin/audit', kind: 'person', ok: 200 },
  // The owner of a personal team manages it.
  { method: 'GET', path: '/v1/audit', kind: 'mine', ok: 200 },
  { method: 'GET', path: '/api/v1/admin/users', kind: 'person', ok: 200 },
  { method: 'PATCH', path: '/api/v1/admin/users/:id', kind: 'person', ok: 200 },
  { method: 'GET', path: '/api/v1/admin/teams', kind: 'person', ok: 200 },
  { method: 'PATCH', path: '/api/v1/admin/teams/:id', kind: 'person', ok: 200 },
  { method: 'GET', path: '/api/v1/admin/system', kind: 'person', ok: 200 },
  // Where Stripe is not set up.
  { method: 'POST', path: '/api/v1/billing/stripe/webhook', kind: 'entry', ok: 404 },
  // Without a body: what they do with one is for tests of their own.
  { method: 'POST', path: '/api/v1/auth/login', kind: 'entry', ok: 400 },
  { method: 'POST', path: '/api/v1/auth/device', kind: 'entry', ok: 400 },
  { method: 'POST', path: '/api/v1/auth/device/token', kind: 'entry', ok: 400 },
  { method: 'POST', path: '/api/v1/auth/oidc/start', kind: 'entry', ok: 400 },
  { method: 'POST', path: '/api/v1/auth/link', kind: 'entry', ok: 400 },
  { method: 'POST', path: '/api/v1/auth/setup', kind: 'entry', ok: 400 },
  { method: 'POST', path: '/api/v1/auth/sign-up', kind: 'entry', ok: 400 },
  { method: 'POST', path: '/api/v1/auth/forgot-password', kind: 'entry', ok: 400 },
  { method: 'POST', path: '/api/v1/auth/password-reset', kind: 'entry', ok: 400 },
  { method: 'POST', path: '/api/v1/auth/sign-in-link', kind: 'entry', ok: 400 },
  // Without a provider.
  { method: 'GET', path: '/api/v1/auth/oidc/start', kind: 'public', ok: 404 },
  { method: 'GET', path: '/api/v1/auth/oidc/callback', kind: 'public', ok: 404 },
  { method: 'GET', path: '/healthz', kind: 'public', ok: 200 },
  { method: 'GET', path: '/readyz', kind: 'public', ok: 200 },
  { method: 'GET', path: '/metrics', kind: 'public', ok: 200 },
  { method: 'GET', path: '/metrics/queue', kind: 'public', ok: 200 },
  { method: 'GET', path: '/openapi.json', kind: 'public', ok: 200 },
  { method: 'GET', path: '/docs', kind: 'public', ok: 200 },
  // No page has this name.
  { method: 'GET', path: '/docs/*', kind: 'public', ok: 404 },
  { method: 'GET', path: '/llms.txt', kind: 'public', ok: 200 },
  { method: 'GET', path: '/llms-full.txt', kind: 'public', ok: 200 },
  { method: 'GET', path: '/schemas/manifest.json', kind: 'public', ok: 200 },
  { method: 'GET', path: '/schemas/manifest-a.json', kind: 'public', ok: 200 },
  { method: 'GET', path: '/schemas/manifest-b.json', kind: 'public', ok: 200 },
  ...WEB_PAGES.map((path) => ({ method: 'GET', path, kind: 'public', ok: 200 }) as const),
  { method: 'GET', path: '/favicon.svg', kind: 'public', ok: 200 },
  // As it stands there no asset has this name.
  { method: 'GET', path: '/assets/*', kind: 'public', ok: 404 },
];

export const nameOf = (route: Pick<Route, 'method' | 'path'>) => `${route.method} ${route.path}`;

export interface ApiDocument {
  paths: Record<string, Record<string, { responses: Record<string, DocumentedResponse> }>>;
  components: { schemas: Record<string, unknown> };
}

export interface DocumentedResponse {
  content?: Record<string, { schema: unknown }>;
}

export async function readApiDocument(url: string): Promise<ApiDocument> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument;
}

const toParams = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** `METHOD /path` of every route that the server describes. */
export function describedRoutes(document: ApiDocument): string[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${toParams(path)}`),
  );
}

/** What the server documents about one route, by status. */
export function documentedResponses(
  document: ApiDocument,
  route: Route,
): Record<string, DocumentedResponse> | undefined {
  const found = Object.entries(document.paths).find(([path]) => toParams(path) === route.path);
  return found?.[1][route.method.toLowerCase()]?.responses;
}

const ROUTE_FILES = new URL('../../src/http/', import.meta.url);
const REGISTRATION = /\bapp\.(route|get|post|put|patch|delete|head|options|all)\(/g;
const LONG_FORM = /\bapp\.route\(\{\s*method: '([A-Z]+)',\s*url: '([^']+)'/g;
const SHORT_FORM = /\bapp\.(get|post|put|patch|delete|head|options)\('([^']+)'/g;

/** Also the routes that the description hides. Fails on a registration it cannot read. */
export function routesInSource(): string[] {
  const files = readdirSync(ROUTE_FILES, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      // Made in a loop, from these lists.
      if (file === 'routes/web.ts') return [...WEB_PAGES, ...WEB_ASSETS].map((url) => `GET ${url}`);
      if (file === 'model/model-endpoint.ts') {
        return MODEL_METHODS.map((method) => `${method} ${MODEL_ROOT}/*`);
      }
      const text = readFileSync(new URL(file, ROUTE_FILES), 'utf8');
      const found = [LONG_FORM, SHORT_FORM].flatMap((form) =>
        [...text.matchAll(form)].map(
          ([, method = '', path = '']) => `${method.toUpperCase()} ${path}`,
        ),
      );
      const registered = [...text.matchAll(REGISTRATION)].length;
      if (found.length === registered) return found;
      throw new Error(`src/http/${file} registers ${registered} routes, readable: ${found.join()}`);
    });
}
