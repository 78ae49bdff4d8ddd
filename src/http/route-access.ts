// Who may call which route: the one table. A route that is not in it cannot be added to the server.
import type { Action, Scope } from '../contract/permissions.ts';
import { MODEL_METHODS, MODEL_ROOT } from './model/model-paths.ts';
import { WEB_ASSETS, WEB_PAGES } from './web/web-pages.ts';

/** `account`: who a caller is, and what the server's administrators do. */
export type Surface = 'jobs' | 'executions' | 'reports' | 'account';

export interface RouteAccess {
  /** The scope a caller's key needs; null where any key will do. */
  scope: Scope | null;
  /** Each surface has a rate limit of its own. */
  surface: Surface;
  /**
   * What the caller's role must allow in the team that the request acts in. `own` is about the caller's
   * account, or about a team that the path names, whose role the service asks for.
   */
  action: Action | 'own';
  /**
   * Set where not every credential does. `session`: only a browser does, not a command line, whose token is in
   * a file. `person`: both of them, but no API key. `header`: whatever is sent on purpose, so no cookie.
   * `request`: only the run that a runner makes for a request.
   */
  credential?: 'session' | 'person' | 'header' | 'request';
  /** Said by a person: the run that a runner makes for them may not say it. */
  byPerson?: true;
  /** Needs no scope, and is for such a run, too. */
  forRuns?: true;
}

const jobs = { scope: 'jobs', surface: 'jobs' } as const;
const history = { scope: 'history', surface: 'jobs' } as const;
const approvals = { scope: 'approvals', surface: 'jobs' } as const;
const runs = { scope: 'runs', surface: 'jobs' } as const;
const runner = { scope: 'runner', surface: 'reports', action: 'write' } as const;
/** And triggers. The same scope as the runs that they start. */
const schedules = { scope: 'runs', surface: 'executions' } as const;
const providerKeys = { scope: 'keys', surface: 'jobs' } as const;
const executions = { scope: 'executions', surface: 'executions' } as const;
const webhooks = { scope: 'webhooks', surface: 'executions' } as const;
const account = { scope: null, surface: 'account', action: 'own' } as const;
const teams = { scope: 'teams', surface: 'executions', action: 'own' } as const;
const usage = { scope: 'billing', surface: 'executions', action: 'read' } as const;
// A key that makes keys can do whatever they can.
const apiKeys = { ...account, scope: 'admin' } as const;
/** The service asks whether the caller is a server administrator. */
const ofServer = apiKeys;
const billing = { scope: 'billing', surface: 'executions' } as const;
const ofRequest = { ...account, surface: 'reports', credential: 'request' } as const;
const session = { ...account, credential: 'session' } as const;
const person = { ...account, credential: 'person' } as const;

export const ROUTE_ACCESS: Readonly<Record<string, RouteAccess | 'public'>> = {
  'POST /api/v1/execute': { ...jobs, action: 'write' },
  'GET /api/v1/job/:id': { ...jobs, action: 'read' },
  'POST /api/v1/job/:id/cancel': { ...jobs, action: 'write' },
  'GET /api/v1/job/:id/events': { ...jobs, action: 'read' },
  'GET /api/v1/job/:id/request': { ...jobs, action: 'read' },
  'GET /api/v1/jobs': { ...jobs, action: 'read' },

  'GET /api/v1/history': { ...history, action: 'read' },
  'GET /api/v1/history/:id': { ...history, action: 'read' },
  'PUT /api/v1/history/:id': { ...history, action: 'write' },

  'GET /api/v1/events': { ...history, action: 'read' },
  'POST /api/v1/runs/:id/events': { ...history, surface: 'reports', action: 'write' },
  'GET /api/v1/runs/:id/changes': { ...history, action: 'read' },
  'GET /api/v1/runs/:id/manifest': { ...history, action: 'read' },
  'POST /api/v1/runs/:id/cancel': { ...jobs, action: 'write' },

  'POST /v1/stream-tokens': { ...jobs, action: 'write' },
  'POST /v1/stream-tokens/:id/renew': { ...jobs, surface: 'reports', action: 'write' },
  'DELETE /v1/stream-tokens/:id': { ...jobs, surface: 'reports', action: 'write' },
  'PUT /v1/runs/:id/caps': { ...jobs, action: 'write' },
  'GET /v1/runs/:id/caps': { ...jobs, action: 'read' },

  'POST /api/v1/runs/:id/shares': { ...history, action: 'write', byPerson: true },
  'GET /api/v1/runs/:id/shares': { ...history, action: 'read' },
  'DELETE /api/v1/runs/:id/shares/:shareId': { ...history, action: 'write' },
  'GET /api/v1/shared/:id': 'public',
  'GET /api/v1/shared/:id/changes': 'public',

  'POST /v1/approvals': { ...approvals, surface: 'reports', action: 'write' },
  'GET /v1/approvals': { ...approvals, action: 'write' },
  'GET /v1/approvals/:id': { ...approvals, surface: 'reports', action: 'write' },
  'POST /v1/approvals/:id/resolve': { ...approvals, action: 'write', byPerson: true },
  'POST /v1/approvals/:id/withdraw': { ...approvals, surface: 'reports', action: 'write' },
  'GET /v1/approvals/:id/review': { ...approvals, action: 'write' },
  'GET /v1/approvals/:id/review/files': { ...approvals, action: 'write' },
  'PUT /v1/approvals/:id/review/files': { ...approvals, surface: 'reports', action: 'write' },
  'PATCH /v1/approvals/:id/review/draft': {
    ...approvals,
    surface: 'reports',
    action: 'write',
    byPerson: true,
  },
  'POST /v1/approvals/:id/review/take': { ...approvals, surface: 'reports', action: 'write' },
  'PUT /v1/approvals/:id/review/outcome': { ...approvals, surface: 'reports', action: 'write' },

  'POST /v1/run-requests': { ...runs, action: 'write' },
  'GET /v1/run-requests': { ...runs, action: 'read' },
  'GET /v1/run-requests/:id': { ...runs, action: 'read' },
  'POST /v1/run-requests/:id/cancel': { ...runs, action: 'write' },
  'PUT /v1/run-requests/:id/progress': runner,
  'PUT /v1/run-requests/:id/end': runner,
  'PUT /v1/run-requests/:id/release': runner,
  'GET /v1/run-requests/:id/answers/:key': ofRequest,
  'PUT /v1/run-requests/:id/answers/:key': ofRequest,
  'POST /v1/runners': runner,
  'POST /v1/runners/:id/poll': runner,
  'GET /v1/runners': { ...runs, action: 'read' },
  'GET /v1/runners/:id': { ...runs, action: 'read' },
  'PATCH /v1/runners/:id': { ...runs, action: 'write' },
  'DELETE /v1/runners/:id': { ...runs, action: 'write' },
  'GET /v1/projects': { ...runs, action: 'read' },
  'PATCH /v1/projects/:name': { ...runs, action: 'manage' },

  'GET /api/v1/keys': { ...providerKeys, action: 'read' },
  'POST /api/v1/keys': { ...providerKeys, action: 'write' },
  'POST /api/v1/keys/:provider/test': { ...providerKeys, action: 'write' },
  'DELETE /api/v1/keys/:provider': { ...providerKeys, action: 'write' },

  'POST /v1/executions': { ...executions, action: 'write' },
  'GET /v1/executions': { ...executions, action: 'read' },
  'GET /v1/executions/:id': { ...executions, action: 'read' },
  'POST /v1/executions/:id/run': { ...executions, action: 'write' },
  'POST /v1/executions/:id/cancel': { ...executions, action: 'write' },
  'GET /v1/executions/:id/events': { ...executions, action: 'read' },

  // What a tool may do is asked for again when it calls the API.
  'POST /mcp': { scope: null, surface: 'executions', action: 'own', credential: 'header' },

  'GET /v1/schedules': { ...schedules, action: 'read' },
  'POST /v1/schedules': { ...schedules, action: 'write' },
  'GET /v1/schedules/:id': { ...schedules, action: 'read' },
  'PATCH /v1/schedules/:id': { ...schedules, action: 'write' },
  'DELETE /v1/schedules/:id': { ...schedules, action: 'write' },
  'POST /v1/schedules/:id/run-now': { ...schedules, action: 'write' },
  'GET /v1/schedules/:id/firings': { ...schedules, action: 'read' },

  'GET /v1/triggers': { ...schedules, action: 'read' },
  'POST /v1/triggers': { ...schedules, action: 'write' },
  'GET /v1/triggers/:id': { ...schedules, action: 'read' },
  'PATCH /v1/triggers/:id': { ...schedules, action: 'write' },
  'DELETE /v1/triggers/:id': { ...schedules, action: 'write' },
  'POST /v1/triggers/:id/rotate': { ...schedules, action: 'write' },
  'POST /v1/triggers/:id/test': { ...schedules, action: 'write' },
  'GET /v1/triggers/:id/deliveries': { ...schedules, action: 'read' },
  'POST /v1/triggers/:id/deliveries/:deliveryId/replay': { ...schedules, action: 'write' },
  // Their callers show the secret of the trigger.
  'POST /v1/hooks/:triggerId': 'public',
  'POST /v1/hooks/:triggerId/:token': 'public',

  'GET /v1/webhooks': { ...webhooks, action: 'read' },
  'POST /v1/webhooks': { ...webhooks, action: 'write' },
  'GET /v1/webhooks/:id': { ...webhooks, action: 'read' },
  'PATCH /v1/webhooks/:id': { ...webhooks, action: 'write' },
  'DELETE /v1/webhooks/:id': { ...webhooks, action: 'write' },
  'POST /v1/webhooks/:id/rotate-secret': { ...webhooks, action: 'write' },
  'POST /v1/webhooks/:id/test': { ...webhooks, action: 'write' },
  'GET /v1/webhooks/:id/deliveries': { ...webhooks, action: 'read' },
  'POST /v1/webhooks/:id/deliveries/:deliveryId/redeliver': { ...webhooks, action: 'write' },

  'GET /v1/teams': teams,
  'POST /v1/teams': teams,
  'GET /v1/teams/:id': teams,
  'PATCH /v1/teams/:id': teams,
  'DELETE /v1/teams/:id': teams,
  'GET /v1/teams/:id/export': teams,
  'GET /v1/teams/:id/members': teams,
  'POST /v1/teams/:id/members': teams,
  'PATCH /v1/teams/:id/members/:userId': teams,
  'DELETE /v1/teams/:id/members/:userId': teams,
  'GET /v1/teams/:id/api-keys': { ...teams, scope: 'admin' },
  'DELETE /v1/teams/:id/api-keys/:keyId': { ...teams, scope: 'admin' },
  'POST /v1/invitations/accept': teams,

  'GET /v1/usage/current': usage,
  'GET /v1/usage/history': usage,
  'GET /api/v1/prices': { ...account, forRuns: true },
  'GET /api/v1/models': { ...account, forRuns: true },
  'GET /v1/billing/subscription': { ...billing, action: 'read' },
  'POST /v1/billing/subscription': { ...billing, action: 'bill' },
  'POST /v1/billing/portal': { ...billing, action: 'bill' },
  'POST /api/v1/billing/stripe/webhook': 'public',

  'GET /api/v1/api-keys': apiKeys,
  'POST /api/v1/api-keys': apiKeys,
  'POST /api/v1/api-keys/:id/rotate': apiKeys,
  'DELETE /api/v1/api-keys/:id': apiKeys,

  'POST /api/v1/auth/login': 'public',
  'POST /api/v1/auth/logout': person,
  'GET /api/v1/auth/me': { ...account, forRuns: true },
  'PATCH /api/v1/auth/me': person,
  'GET /api/v1/auth/sessions': person,
  'DELETE /api/v1/auth/sessions': person,
  'DELETE /api/v1/auth/sessions/:id': person,
  'POST /api/v1/auth/password': session,
  'GET /api/v1/auth/export': person,
  'POST /api/v1/auth/delete-account': person,
  'POST /api/v1/auth/device': 'public',
  'POST /api/v1/auth/device/token': 'public',
  'POST /api/v1/auth/device/lookup': session,
  'POST /api/v1/auth/device/decision': session,
  'GET /api/v1/auth/oidc/start': 'public',
  'POST /api/v1/auth/oidc/start': 'public',
  'GET /api/v1/auth/oidc/callback': 'public',
  'POST /api/v1/auth/link': 'public',
  'POST /api/v1/auth/setup': 'public',
  'POST /api/v1/auth/sign-up': 'public',
  'POST /api/v1/auth/forgot-password': 'public',
  'POST /api/v1/auth/password-reset': 'public',
  'POST /api/v1/auth/sign-in-link': 'public',
  'POST /api/v1/admin/password-resets': ofServer,
  'GET /api/v1/admin/audit': ofServer,
  'GET /v1/audit': { scope: 'admin', surface: 'executions', action: 'manage' },
  'GET /api/v1/admin/users': ofServer,
  'PATCH /api/v1/admin/users/:id': ofServer,
  'GET /api/v1/admin/teams': ofServer,
  'PATCH /api/v1/admin/teams/:id': ofServer,
  'GET /api/v1/admin/system': ofServer,

  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': 'public',
  'GET /metrics/queue': 'public',
  'GET /openapi.json': 'public',
  'GET /docs': 'public',
  'GET /docs/*': 'public',
  'GET /llms.txt': 'public',
  'GET /llms-full.txt': 'public',
  'GET /schemas/manifest.json': 'public',
  'GET /schemas/manifest-a.json': 'public',
  'GET /schemas/manifest-b.json': 'public',

  // Its callers have credentials where each vendor's clients put them, so it asks for them itself.
  ...Object.fromEntries(
    MODEL_METHODS.map((method) => [`${method} ${MODEL_ROOT}/*`, 'public' as const]),
  ),

  // The page itself says nothing; what it shows it asks for with the session of who looks.
  ...Object.fromEntries(
    [...WEB_PAGES, ...WEB_ASSETS].map((url) => [`GET ${url}`, 'public' as const]),
  ),
};

/** Undefined for a route that anybody may call. Throws for one that the table does not know. */
export function accessOf(method: string, url: string): RouteAccess | undefined {
  // The framework answers HEAD wherever there is a GET.
  const found = ROUTE_ACCESS[`${method === 'HEAD' ? 'GET' : method} ${url}`];
  if (found === undefined) throw new Error(`${method} ${url} is not in the table of routes`);
  return found === 'public' ? undefined : found;
}
