// The API half of a node: the services and the HTTP server in front of them.
import { isLoopback } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { createExecutionStarter } from '../executions/start.ts';
import { createServer } from '../http/server.ts';
import { newMarkSecret, proveMark, publishServerMark } from '../platform/server-mark.ts';
import type { ServerMark } from '../platform/server-mark.ts';
import { accountServices } from './accounts.ts';
import { billingServices, stripeParts } from './billing.ts';
import { createExecutionEventService } from '../services/executions/execution-events.ts';
import { createExecutionService } from '../services/executions/executions.ts';
import type { HealthService } from '../services/health.ts';
import { createHistoryService } from '../services/history.ts';
import { createAccess } from '../services/access.ts';
import { createAccessWatch } from '../services/access-watch.ts';
import { createIdentityService } from '../services/identity.ts';
import { createJobEventService } from '../services/jobs/job-events.ts';
import { createJobListService } from '../services/jobs/job-list.ts';
import { createJobWatch } from '../services/jobs/job-watch.ts';
import { createJobService } from '../services/jobs/jobs.ts';
import { createLimitService } from '../services/limits.ts';
import { runnerServices } from './runners.ts';
import { createApprovals } from '../services/approvals/approvals.ts';
import { createReviews } from '../services/reviews/reviews.ts';
import { createRunCaps } from '../services/runs/run-caps.ts';
import { createRunOwners } from '../services/runs/run-owner.ts';
import { createStreamTokens } from '../services/runs/stream-tokens.ts';
import { createProviderKeyService } from '../services/provider-keys/provider-keys.ts';
import { createModelLimitService } from '../services/model-limits.ts';
import { createPriceService } from '../services/prices.ts';
import { createScheduleService } from '../services/schedules/schedules.ts';
import { createHooks } from '../services/triggers/hooks.ts';
import { createTriggerService } from '../services/triggers/triggers.ts';
import { createSystemService } from '../services/system.ts';
import { createUsageService } from '../services/usage/usage.ts';
import { createWebhookService } from '../services/webhooks/webhooks.ts';
import type { OptimisticStart } from '../store/jobs/optimistic-start.ts';
import { createSubmitter } from '../store/jobs/submit-jobs.ts';
import { listenOptions, operationsOf } from './health.ts';
import { localLaunchOf } from './launch.ts';
import { liveServices } from './live.ts';
import type { Calling } from './calling.ts';
import { startGateway } from './gateway.ts';
import type { Calls, Node } from './gateway.ts';
import type { Parts } from './parts.ts';
import type { Teardown } from './teardown.ts';
import { toolsOnDemand } from './tools-on-demand.ts';
import { DOCS_FOLDER, VERSION, WEB_FOLDER } from './version.ts';

export async function startApi(
  config: Config,
  parts: Parts & {
    worker?: OptimisticStart | undefined;
    node: Node;
    calling: Calling;
    calls: Calls;
  },
  health: HealthService,
  teardown: Teardown,
): Promise<string> {
  const { db, signals } = parts;
  const identities = createIdentityService(parts);
  teardown.add('identities', () => identities.close());
  const accessWatch = createAccessWatch(signals);
  teardown.add('access watch', () => accessWatch.close());
  const watch = createJobWatch(signals);
  teardown.add('watch', () => watch.close());
  const access = createAccess(parts);
  const submitting = {
    ...parts,
    access,
    runOwners: createRunOwners({ db, access }),
    submitter: createSubmitter({ ...parts, startExecution: createExecutionStarter(parts) }),
    providers: new Map(parts.providers.ids().map((id) => [id, parts.providers.find(id)!])),
    defaultProvider: config.defaultProvider,
  };
  const targets = {
    allowPrivate: config.allowPrivateTargets,
    // On one's own machine there is nobody between who could read along.
    allowHttp: config.allowPrivateTargets || isLoopback(config.host),
  };
  const jobs = createJobService({ ...submitting, watch });
  const executions = createExecutionService({
    ...submitting,
    defaultModel: config.defaultModel,
    targetRules: targets,
  });
  const events = createJobEventService({ ...parts, watch, jobs });
  const executionEvents = createExecutionEventService({ ...parts, watch, executions });
  const limits = createLimitService(parts);
  const gateway = startGateway(config, { ...submitting, ...parts }, teardown);
  parts.calls.gateway = gateway;
  const approvals = createApprovals({ db, signals, access });
  teardown.add('approvals', () => approvals.close());
  const { runners, runRequests } = runnerServices(config, { ...parts, access }, teardown);
  const live = liveServices({ ...submitting, jobs, events, executionEvents, limits }, teardown);
  let mark: ServerMark | undefined;
  let url = '';
  const publicUrl = () => config.publicUrl ?? url;
  const app = await createServer({
    ...parts,
    ...accountServices(
      config,
      { ...parts, access: submitting.access, limits, publicUrl },
      teardown,
    ),
    ...billingServices(config, parts, await stripeParts(config, parts, publicUrl)),
    prove: (challenge) => mark && proveMark(mark, challenge),
    identities,
    accessWatch,
    jobs,
    jobList: createJobListService({ ...parts, jobs }),
    limits,
    events,
    ...live,
    gateway,
    streamTokens: createStreamTokens(parts),
    runCaps: createRunCaps(parts),
    approvals,
    runners,
    runRequests,
    reviews: createReviews({ db, access }),
    schedules: createScheduleService(submitting),
    triggers: createTriggerService({ ...submitting, publicUrl }),
    hooks: createHooks({ ...parts, limits }),
    history: createHistoryService(submitting),
    keys: createProviderKeyService({ ...parts, checkKey: parts.providers.checkKey }),
    usage: createUsageService(parts),
    prices: createPriceService(submitting),
    modelLimits: createModelLimitService({
      ...submitting,
      servedLimits: parts.providers.servedLimits,
    }),
    system: createSystemService({ ...parts, version: VERSION }),
    webhooks: createWebhookService({ ...submitting, targets }),
    executions,
    executionEvents,
    webFolder: WEB_FOLDER,
    docsFolder: DOCS_FOLDER,
    corsOrigins: config.corsOrigins ?? [],
    remoteTools: toolsOnDemand({ ...parts, publicUrl }),
    isLoopbackOnly: isLoopback(config.host),
    localLaunch: localLaunchOf(config),
    ...operationsOf(parts, health),
  });
  teardown.add('http', () => app.close());
  url = await app.listen({ host: config.host, port: config.port, ...listenOptions(parts) });
  // Beside siblings, the supervisor publishes what each of them can prove.
  const shared = parts.siblings?.markSecret;
  if (shared !== undefined) mark = { url, secret: shared };
  // The folder belongs to one server only while its embedded database does.
  else if (config.databaseUrl === undefined && !parts.siblings) {
    mark = { url, secret: newMarkSecret() };
    teardown.add('mark', await publishServerMark(config.dataDir, mark));
  }
  return url;
}
