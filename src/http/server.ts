// The HTTP server: hooks that every request passes, and the routes.
import type { Socket } from 'node:net';
import { fastify } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createSerializerCompiler } from 'fastify-zod-openapi';
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { ServiceError } from '../contract/errors.ts';
import type { SignInOptions } from '../domain/accounts/sign-in-options.ts';
import type { Launch } from '../domain/command/suggested-command.ts';
import type { Tiers } from '../domain/job/tiers.ts';
import type { ExecutionEventService } from '../services/executions/execution-events.ts';
import type { ExecutionService } from '../services/executions/executions.ts';
import type { HistoryService } from '../services/history.ts';
import type { IdentityService } from '../services/identity.ts';
import type { JobEventService } from '../services/jobs/job-events.ts';
import type { DeleteAccount } from '../services/accounts/delete-account.ts';
import type { ExportService } from '../services/accounts/export.ts';
import type { AccessWatch } from '../services/access-watch.ts';
import type { AuditService } from '../services/audit.ts';
import type { JobListService } from '../services/jobs/job-list.ts';
import type { JobService } from '../services/jobs/jobs.ts';
import type { LimitService } from '../services/limits.ts';
import type { OwnApiKeyService } from '../services/accounts/own-api-keys.ts';
import type { ProviderKeyService } from '../services/provider-keys/provider-keys.ts';
import type { TeamApiKeyService } from '../services/teams/team-api-keys.ts';
import type { TeamMemberService } from '../services/teams/team-members.ts';
import type { ModelLimitService } from '../services/model-limits.ts';
import type { PriceService } from '../services/prices.ts';
import type { RunShareService } from '../services/runs/run-shares.ts';
import type { ApprovalService } from '../services/approvals/approvals.ts';
import type { RunRequestService } from '../services/runners/run-requests.ts';
import type { RunnerService } from '../services/runners/runners.ts';
import type { ReviewService } from '../services/reviews/reviews.ts';
import type { RunCapService } from '../services/runs/run-caps.ts';
import type { StreamTokenService } from '../services/runs/stream-tokens.ts';
import type { ScheduleService } from '../services/schedules/schedules.ts';
import type { TeamService } from '../services/teams/teams.ts';
import type { SystemService } from '../services/system.ts';
import type { HookService } from '../services/triggers/hooks.ts';
import type { TriggerService } from '../services/triggers/triggers.ts';
import type { UsageService } from '../services/usage/usage.ts';
import type { WebhookService } from '../services/webhooks/webhooks.ts';
import type { BillingService } from '../services/billing/billing.ts';
import type { StripeSync } from '../services/billing/stripe-sync.ts';
import type { AccountAdmin } from '../services/accounts/account-admin.ts';
import type { ServerAdmin } from '../services/accounts/server-admin.ts';
import type { AccountLinkService } from '../services/accounts/account-links.ts';
import type { DeviceSignIn } from '../services/accounts/device-sign-in.ts';
import type { OidcSignIn } from '../services/accounts/oidc-sign-in.ts';
import type { ForgottenPasswords } from '../services/accounts/forgotten-password.ts';
import { installAccess } from './access.ts';
import { installBodyParser } from './body-parser.ts';
import { installCors } from './cors.ts';
import type { FlowCookie } from './flow-cookie.ts';
import { errorBody, sendError, toServiceError } from './errors.ts';
import { installGracefulClose } from './graceful-close.ts';
import { createLostPage } from './lost-page.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { mcpRoute } from './mcp/mcp-route.ts';
import type { RemoteTools } from './mcp/mcp-route.ts';
import { modelEndpoint } from './model/model-endpoint.ts';
import { installNotFound } from './not-found.ts';
import { refuseNulCharacters } from './nul-characters.ts';
import { installOpenApi } from './openapi.ts';
import { routedUrl } from './page-reads.ts';
import './request-context.ts';
import { installTracing } from './trace-requests.ts';
import type { RequestTelemetry } from './trace-requests.ts';
import { PRIVATE_HEADERS, installResponseHeaders } from './response-headers.ts';
import { installRequestLog } from './request-log.ts';
import type { RequestMetrics } from './request-log.ts';
import { validatorCompiler } from './validate.ts';
import { accountAdminRoutes } from './routes/account-admin.ts';
import { accountLinkRoutes } from './routes/account-links.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { runRequestRoutes } from './routes/run-requests.ts';
import { runnerRoutes } from './routes/runners.ts';
import { reviewRoutes } from './routes/reviews.ts';
import { auditRoutes } from './routes/audit.ts';
import { deviceRoutes } from './routes/device.ts';
import { docsRoutes } from './routes/docs.ts';
import { authRoutes } from './routes/auth.ts';
import type { AuthRouteDeps } from './routes/auth.ts';
import { billingRoutes } from './routes/billing.ts';
import { executeRoute } from './routes/execute.ts';
import { executionRoutes } from './routes/executions.ts';
import { historyRoutes } from './routes/history.ts';
import { jobListRoutes } from './routes/job-list.ts';
import { jobRoutes } from './routes/job.ts';
import { liveRoutes } from './routes/live.ts';
import type { LiveRouteDeps } from './routes/live.ts';
import { keyRoutes } from './routes/keys.ts';
import { ownDataRoutes } from './routes/own-data.ts';
import { oidcRoutes } from './routes/oidc.ts';
import { operationsRoutes } from './routes/operations.ts';
import { modelRoutes } from './routes/models.ts';
import { priceRoutes } from './routes/prices.ts';
import { runShareRoutes } from './routes/run-shares.ts';
import { schemaRoutes } from './routes/schemas.ts';
import { serverAdminRoutes } from './routes/server-admin.ts';
import { systemRoutes } from './routes/system.ts';
import { stripeEventRoute } from './routes/stripe-events.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { hookRoutes } from './routes/hooks.ts';
import { triggerRoutes } from './routes/triggers.ts';
import { streamTokenRoutes } from './routes/stream-tokens.ts';
import { teamApiKeyRoutes } from './routes/team-api-keys.ts';
import { teamMemberRoutes } from './routes/team-members.ts';
import { teamRoutes } from './routes/teams.ts';
import type { OperationsDeps } from './routes/operations.ts';
import { usageRoutes } from './routes/usage.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { webRoutes } from './routes/web.ts';
import { createWebFiles } from './web/web-files.ts';

export interface ServerDeps extends OperationsDeps, AuthRouteDeps {
  identities: IdentityService;
  limits: LimitService;
  jobs: JobService;
  jobList: JobListService;
  events: JobEventService;
  executions: ExecutionService;
  executionEvents: ExecutionEventService;
  history: HistoryService;
  accessWatch: AccessWatch;
  live: LiveRouteDeps['live'];
  reports: LiveRouteDeps['reports'];
  shares: RunShareService;
  streamTokens: StreamTokenService;
  runCaps: RunCapService;
  approvals: ApprovalService;
  runners: RunnerService;
  runRequests: RunRequestService;
  reviews: ReviewService;
  schedules: ScheduleService;
  triggers: TriggerService;
  hooks: HookService;
  gateway: Gateway;
  prices: PriceService;
  modelLimits: ModelLimitService;
  keys: ProviderKeyService;
  webhooks: WebhookService;
  accountLinks: AccountLinkService;
  accountAdmin: AccountAdmin;
  audit: AuditService;
  exports: ExportService;
  deleteAccount: DeleteAccount;
  deviceSignIn: DeviceSignIn;
  forgottenPasswords: ForgottenPasswords;
  oidcSignIn: OidcSignIn;
  flowCookie: FlowCookie;
  signInOptions: SignInOptions;
  serverAdmin: ServerAdmin;
  system: SystemService;
  ownApiKeys: OwnApiKeyService;
  billing: BillingService;
  stripe: StripeSync | undefined;
  teams: TeamService;
  teamMembers: TeamMemberService;
  teamApiKeys: TeamApiKeyService;
  usage: UsageService;
  /** Addresses whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[];
  /** Where the built dashboard is. */
  webFolder: string;
  /** Where the built documentation is. */
  docsFolder: string;
  tiers: Tiers;
  corsOrigins: readonly string[];
  remoteTools: RemoteTools;
  /** Nobody but programs of this machine can connect. */
  isLoopbackOnly: boolean;
  /** How the program is called at this machine; undefined where readers may be elsewhere. */
  localLaunch: Launch | undefined;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error' | 'debug'>;
  metrics: RequestMetrics;
  telemetry: RequestTelemetry;
  newRequestId(): string;
  isUnavailable(error: unknown): boolean;
}

/** How long a refused client may take to read why. */
const LINGER_MS = 1000;

/**
 * Requests that the parser of Node refuses before the framework sees them. The socket does not wait for
 * the client to close its side: one that never does would hold a descriptor for good. Nor is it
 * destroyed at once: the client, still sending, would lose the answer with it.
 */
function refuseRaw(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (socket.destroyed) return;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) {
    closeUnlessHeard(socket);
    return;
  }
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
  // What still arrives is thrown away, so that the end of the client's side is noticed.
  socket.once('end', () => socket.destroySoon());
  socket.resume();
  const refused =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new ServiceError('PAYLOAD_TOO_LARGE', 'The headers are larger than 16 KiB.')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new ServiceError('VALIDATION_ERROR', 'The request did not arrive in time.')
        : new ServiceError('VALIDATION_ERROR', 'The request is not valid HTTP.');
  const body = JSON.stringify(errorBody(refused));
  socket.end(
    `HTTP/1.1 ${refused.status} ${refused.status === 413 ? 'Payload Too Large' : 'Bad Request'}\r\n` +
      `x-request-id: ${requestId}\r\n` +
      Object.entries(PRIVATE_HEADERS)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('') +
      'content-type: application/json; charset=utf-8\r\nconnection: close\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/**
 * Browsers open connections that they may need. One that was not used in time is closed without a word: an answer to
 * nothing would be taken for the answer to a request that is just being sent. When it was this process that stood
 * still, the request may be here and only not be read yet.
 */
function closeUnlessHeard(socket: Socket): void {
  setImmediate(() =>
    setImmediate(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }),
  );
}

function refuseHostless(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  if (request.headers.host !== undefined || request.raw.httpVersion === '1.0') done();
  else done(new ServiceError('VALIDATION_ERROR', 'The request has no Host header.'));
}

/** As one plugin: a scope for each file of routes took a sixth of the time of a start, and they share everything. */
function together(groups: readonly FastifyPluginAsyncZodOpenApi[]): FastifyPluginAsyncZodOpenApi {
  return async (app, options) => {
    for (const group of groups) await group(app, options);
  };
}

export async function createServer(deps: ServerDeps): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    genReqId: deps.newRequestId,
    rewriteUrl: routedUrl,
    // A slow client may take its time with neither headers nor body.
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16_384,
      // Node would refuse with an empty body; refuseHostless says what is wrong.
      requireHostHeader: false,
    },
    ...(deps.trustedProxies.length > 0 ? { trustProxy: [...deps.trustedProxies] } : {}),
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    // As long as a request line can be: an id that is too long is one that does not exist, 404.
    routerOptions: { maxParamLength: 16_384 },
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => refuseRaw(error, socket, deps.newRequestId()),
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...PRIVATE_HEADERS, 'x-request-id': request.id });
      sendError(reply, toServiceError(error, deps.isUnavailable));
    },
  });
  app.setValidatorCompiler(validatorCompiler);
  // The schema has taken out by then what does not belong into an answer. To compile a function for each
  // answer of each route took half of the time of a start, for no gain.
  app.setSerializerCompiler(createSerializerCompiler({ stringify: JSON.stringify }));
  app.setErrorHandler((error, request, reply) => {
    const refused = toServiceError(error, deps.isUnavailable);
    if (refused.status >= 500) {
      deps.log.error({ requestId: request.id, err: refused.cause ?? refused }, 'request failed');
    }
    return sendError(reply, refused);
  });
  const stopping = installGracefulClose(app, deps.health.isStopping);
  installResponseHeaders(app, deps);
  installRequestLog(app, deps);
  installTracing(app, deps);
  installCors(app, deps.corsOrigins);
  app.addHook('onRequest', refuseHostless);
  // An expectation nobody knows is ignored: Node's own answer would have neither body nor id.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  const docsFiles = createWebFiles(deps.docsFolder);
  installNotFound(app, createLostPage(docsFiles));
  installBodyParser(app);
  installAccess(app, deps);
  refuseNulCharacters(app);
  await installOpenApi(app, deps.version);
  await app.register(
    together([
      executeRoute(deps),
      jobRoutes({ ...deps, stopping }),
      jobListRoutes(deps),
      executionRoutes({ ...deps, stopping }),
      historyRoutes(deps),
      liveRoutes({ ...deps, stopping }),
      runShareRoutes(deps),
      streamTokenRoutes(deps),
      approvalRoutes({ ...deps, stopping }),
      runnerRoutes({ ...deps, stopping }),
      runRequestRoutes({ ...deps, stopping }),
      reviewRoutes(deps),
      scheduleRoutes(deps),
      triggerRoutes(deps),
      keyRoutes(deps),
      webhookRoutes(deps),
      teamRoutes(deps),
      teamMemberRoutes(deps),
      teamApiKeyRoutes(deps),
      auditRoutes(deps),
      ownDataRoutes(deps),
      usageRoutes(deps),
      priceRoutes(deps),
      modelRoutes(deps),
      billingRoutes(deps),
      apiKeyRoutes(deps),
      authRoutes(deps),
      accountLinkRoutes(deps),
      accountAdminRoutes(deps),
      deviceRoutes(deps),
      oidcRoutes(deps),
      webRoutes(deps),
      docsRoutes(docsFiles),
      serverAdminRoutes(deps),
      systemRoutes(deps),
      operationsRoutes(deps),
      schemaRoutes(),
    ]),
  );
  // These read bodies or report errors in ways of their own.
  await app.register(stripeEventRoute(deps));
  await app.register(hookRoutes(deps));
  await app.register(modelEndpoint(deps));
  await app.register(mcpRoute({ ...deps, tools: deps.remoteTools, site: deps, stopping }));
  await app.ready();
  return app;
}
