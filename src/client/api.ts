// A typed client for both HTTP surfaces.
import type { Me, UpdateMeRequest } from '../contract/auth-api.ts';
import type { RecordRunRequest, RunStream, RunSummary } from '../contract/history-api.ts';
import type { JobPage } from '../contract/job-list-api.ts';
import type { ProviderKey } from '../contract/keys-api.ts';
import type { ModelLimits } from '../contract/models-api.ts';
import type { ReportRunRequest, ReportedRun, StreamChanges } from '../contract/run-report-api.ts';
import type {
  EndedStreamToken,
  RenewedStreamToken,
  RunCaps,
  StreamToken,
  StreamTokenRequest,
} from '../contract/stream-token-api.ts';
import { apiKeysApi } from './api-keys.ts';
import type { ApiKeysApi } from './api-keys.ts';
import { runRequestsApi, runnersApi } from './runners.ts';
import type { RunRequestsApi, RunnersApi } from './runners.ts';
import { approvalsApi } from './approvals.ts';
import type { ApprovalsApi } from './approvals.ts';
import { reviewsApi } from './reviews.ts';
import type { ReviewsApi } from './reviews.ts';
import { auditApi } from './audit.ts';
import type { AuditApi } from './audit.ts';
import { billingApi } from './billing.ts';
import type { BillingApi } from './billing.ts';
import { createCalls, part } from './calls.ts';
import type { CallOptions, Calls, ClientOptions } from './calls.ts';
import { executionsApi } from './executions.ts';
import type { ExecutionsApi } from './executions.ts';
import type {
  HistoryFilter,
  Job,
  JobDetails,
  JobEvent,
  JobFilter,
  NewJob,
  NewTurn,
} from './jobs-types.ts';
import { schedulesApi } from './schedules.ts';
import type { SchedulesApi } from './schedules.ts';
import { teamsApi } from './teams.ts';
import type { TeamsApi } from './teams.ts';
import { triggersApi } from './triggers.ts';
import type { TriggersApi } from './triggers.ts';
import { usageApi } from './usage.ts';
import type { UsageApi } from './usage.ts';
import { webhooksApi } from './webhooks.ts';
import type { WebhooksApi } from './webhooks.ts';

const PAGE = 100;
const JOB = '/api/v1/job/';
const HISTORY = '/api/v1/history';
const RUNS = '/api/v1/runs/';
const KEYS = '/api/v1/keys';

interface WaitOptions extends CallOptions {
  /** The answer comes when the job ends, or after this time. */
  waitSeconds?: number;
}

interface KeyOptions extends CallOptions {
  /** For the key of the team; yours where it is left out. */
  owner?: 'team';
}

const ownerOf = (options?: KeyOptions) => (options?.owner ? '?owner=team' : '');

export class MillraceClient {
  readonly apiKeys: ApiKeysApi;
  readonly approvals: ApprovalsApi;
  readonly runRequests: RunRequestsApi;
  readonly runners: RunnersApi;
  readonly reviews: ReviewsApi;
  readonly audit: AuditApi;
  readonly billing: BillingApi;
  readonly executions: ExecutionsApi;
  readonly schedules: SchedulesApi;
  readonly teams: TeamsApi;
  readonly triggers: TriggersApi;
  readonly usage: UsageApi;
  readonly webhooks: WebhooksApi;
  readonly #calls: Calls;

  constructor(apiUrl: string, apiKey: string, options: ClientOptions = {}) {
    const calls = createCalls(apiUrl, apiKey, options);
    this.#calls = calls;
    this.apiKeys = apiKeysApi(calls);
    this.approvals = approvalsApi(calls);
    this.runRequests = runRequestsApi(calls);
    this.runners = runnersApi(calls);
    this.reviews = reviewsApi(calls);
    this.audit = auditApi(calls);
    this.billing = billingApi(calls);
    this.executions = executionsApi(calls);
    this.schedules = schedulesApi(calls);
    this.teams = teamsApi(calls);
    this.triggers = triggersApi(calls);
    this.usage = usageApi(calls);
    this.webhooks = webhooksApi(calls);
  }

  /** Any route of the service, for what has no method here. The answer is a good one, unread. */
  request(
    method: string,
    path: string,
    { body, ...options }: CallOptions & { body?: unknown } = {},
  ): Promise<Response> {
    return this.#calls.open(method, path, options, body);
  }

  /** Who the caller is, and the team that requests act in. */
  me(options?: CallOptions): Promise<Me> {
    return this.#calls.get('/api/v1/auth/me', options);
  }

  /** For people who are signed in, not for API keys. */
  updateMe(change: UpdateMeRequest, options?: CallOptions): Promise<Me> {
    return this.#calls.send('PATCH', '/api/v1/auth/me', options, change);
  }

  /** An archive: read its body as a stream. */
  exportAccount(options?: CallOptions): Promise<Response> {
    return this.#calls.open('GET', '/api/v1/auth/export', options);
  }

  /** Cannot be undone. */
  deleteAccount(
    body: { email: string; password?: string },
    options?: CallOptions,
  ): Promise<{ deleted: true; userId: string }> {
    return this.#calls.send('POST', '/api/v1/auth/delete-account', options, body);
  }

  /** Starts a job; a lost answer does not start it twice, nor does a key that was used before. */
  execute(job: NewJob | NewTurn, options?: CallOptions): Promise<{ jobId: string }> {
    return this.#calls.send('POST', '/api/v1/execute', options, job);
  }

  getJob(jobId: string, options?: WaitOptions): Promise<Job> {
    return this.#calls.get(JOB + part(jobId), options, { wait: options?.waitSeconds });
  }

  getJobDetails(jobId: string, options?: WaitOptions): Promise<JobDetails> {
    const query = { view: 'full', wait: options?.waitSeconds };
    return this.#calls.get(JOB + part(jobId), options, query);
  }

  /** Newest first; `before` is the `nextCursor` of the page before. */
  listJobs(
    page?: JobFilter & { before?: string; limit?: number },
    options?: CallOptions,
  ): Promise<JobPage> {
    return this.#calls.get('/api/v1/jobs', options, page);
  }

  cancelJob(jobId: string, options?: CallOptions): Promise<{ cancelled: boolean }> {
    return this.#calls.send('POST', `${JOB + part(jobId)}/cancel`, options);
  }

  /** The job's events from the start; resumes after a lost connection without a gap. */
  async *jobEvents(jobId: string, options?: CallOptions): AsyncGenerator<JobEvent> {
    const events = this.#calls.events(`${JOB + part(jobId)}/events`, options);
    for await (const { event, data } of events) {
      if (event === 'done') yield { type: event, job: data as Job };
      if (event === 'status' || event === 'text') {
        yield { type: event, ...(data as object) } as JobEvent;
      }
    }
  }

  listRuns(
    page?: HistoryFilter & { offset?: number; limit?: number },
    options?: CallOptions,
  ): Promise<{ items: RunSummary[]; total: number; offset: number; limit: number }> {
    return this.#calls.get(HISTORY, options, page);
  }

  /** All runs, newest first, page after page. */
  async *runs(filter?: HistoryFilter, options?: CallOptions): AsyncGenerator<RunSummary> {
    for (let offset = 0; ; offset += PAGE) {
      const { items } = await this.listRuns({ ...filter, offset, limit: PAGE }, options);
      yield* items;
      if (items.length < PAGE) return;
    }
  }

  getRun(runId: string, options?: CallOptions): Promise<{ run: RunSummary; streams: RunStream[] }> {
    return this.#calls.get(`${HISTORY}/${part(runId)}`, options);
  }

  recordRun(
    runId: string,
    body: RecordRunRequest,
    options?: CallOptions,
  ): Promise<{ run: RunSummary; streams: RunStream[] }> {
    return this.#calls.send('PUT', `${HISTORY}/${part(runId)}`, options, body);
  }

  /** Adds what happened in a run that this program makes, and returns whether it should stop. */
  reportRun(runId: string, body: ReportRunRequest, options?: CallOptions): Promise<ReportedRun> {
    return this.#calls.send('POST', `${RUNS + part(runId)}/events`, options, body);
  }

  /** Stops a run: its command line, or the jobs it has here. */
  cancelRun(runId: string, options?: CallOptions): Promise<{ cancelled: boolean }> {
    return this.#calls.send('POST', `${RUNS + part(runId)}/cancel`, options);
  }

  /** What the run may cost; null takes a limit away. Every job and call of the run keeps to it. */
  setRunCaps(
    runId: string,
    caps: { maxCostUsd?: number | null; streams?: Record<string, number | null> },
    options?: CallOptions,
  ): Promise<RunCaps> {
    return this.#calls.send('PUT', `/v1/runs/${part(runId)}/caps`, options, caps);
  }

  getRunCaps(runId: string, options?: CallOptions): Promise<RunCaps> {
    return this.#calls.get(`/v1/runs/${part(runId)}/caps`, options);
  }

  /** A credential for the agent of a stream: for the model endpoint alone, and for a minute unless it is renewed. */
  createStreamToken(token: StreamTokenRequest, options?: CallOptions): Promise<StreamToken> {
    return this.#calls.send('POST', '/v1/stream-tokens', options, token);
  }

  renewStreamToken(id: string, options?: CallOptions): Promise<RenewedStreamToken> {
    return this.#calls.send('POST', `/v1/stream-tokens/${part(id)}/renew`, options);
  }

  /** Returns what the token was used for, also when it has ended before. */
  endStreamToken(id: string, options?: CallOptions): Promise<EndedStreamToken> {
    return this.#calls.send('DELETE', `/v1/stream-tokens/${part(id)}`, options);
  }

  /** The files that each stream has changed, with their diffs. */
  getRunChanges(runId: string, options?: CallOptions): Promise<{ streams: StreamChanges[] }> {
    return this.#calls.get(`${RUNS + part(runId)}/changes`, options);
  }

  /** How much models take in and give, in the order of `models`. */
  modelLimits(models: readonly string[], options?: CallOptions): Promise<{ items: ModelLimits[] }> {
    return this.#calls.get('/api/v1/models', options, { models: models.join(',') });
  }

  listProviderKeys(options?: CallOptions): Promise<{ keys: ProviderKey[] }> {
    return this.#calls.get(KEYS, options);
  }

  storeProviderKey(
    body: { provider: string; key: string; tosAccepted: true; owner?: 'team' },
    options?: CallOptions,
  ): Promise<ProviderKey & { valid: boolean }> {
    return this.#calls.send('POST', KEYS, options, body);
  }

  testProviderKey(
    provider: string,
    options?: KeyOptions,
  ): Promise<{ provider: string; valid: boolean; reason?: string }> {
    return this.#calls.send('POST', `${KEYS}/${part(provider)}/test${ownerOf(options)}`, options);
  }

  deleteProviderKey(
    provider: string,
    options?: KeyOptions,
  ): Promise<{ deleted: boolean; provider: string }> {
    return this.#calls.send('DELETE', KEYS + '/' + part(provider) + ownerOf(options), options);
  }
}
