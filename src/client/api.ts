// A typed client for the job API.
import type { ExecuteRequest } from '../contract/job-api.ts';
import type { RecordRunRequest, RunStream, RunSummary } from '../contract/history-api.ts';
import type { ProviderKey } from '../contract/keys-api.ts';
import type { Artifact } from '../contract/artifact.ts';
import { readEventStream } from './event-stream.ts';
import { MillraceConnectionError, MillraceError } from './errors.ts';
import { EXECUTOR_DEFAULTS } from './executor.ts';
import { createTransport } from './transport.ts';
import type { Transport } from './transport.ts';
import { backoffDelay } from './backoff.ts';
import { defaultWorld } from './world.ts';
import type { World } from './world.ts';

export type NewJob = Pick<ExecuteRequest, 'streamId' | 'prompt' | 'model' | 'maxTokens'> &
  Partial<ExecuteRequest>;

export type Job =
  | { status: 'pending' | 'running' }
  | {
      status: 'completed';
      output: string;
      artifact?: Artifact;
      tokensUsed: { input: number; output: number };
    }
  | { status: 'failed'; error: string; tokensUsed: { input: number; output: number } };

export type JobEvent =
  | { type: 'status'; status: 'pending' | 'running'; attempt: number }
  /** `offset` is the place of the text in the output; a new generation starts the text over. */
  | { type: 'text'; text: string; offset: number; generation: number }
  | { type: 'done'; job: Job };

export interface HistoryFilter {
  organizationId?: string;
  status?: string;
  feature?: string;
  since?: string;
  until?: string;
}

export interface ClientOptions {
  /** Retries of one request for transient errors. */
  maxRetries?: number;
  world?: World;
}

interface CallOptions {
  signal?: AbortSignal;
}

const PAGE = 100;

function query(values: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

const part = encodeURIComponent;

export class MillraceClient {
  readonly #transport: Transport;
  readonly #world: World;
  readonly #apiUrl: string;
  readonly #apiKey: string;
  readonly #maxRetries: number;

  constructor(apiUrl: string, apiKey: string, options: ClientOptions = {}) {
    const { world = defaultWorld, maxRetries = EXECUTOR_DEFAULTS.maxRetries } = options;
    this.#apiUrl = apiUrl.replace(/\/+$/, '');
    this.#apiKey = apiKey;
    this.#world = world;
    this.#maxRetries = maxRetries;
    this.#transport = createTransport({
      ...EXECUTOR_DEFAULTS,
      maxRetries,
      apiUrl,
      apiKey,
      world,
    });
  }

  async #call<T>(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<T> {
    const headers =
      method === 'POST' && body !== undefined ? { 'idempotency-key': this.#world.newKey() } : {};
    const request = { body, headers, signal: options.signal };
    return (await this.#transport.request(method, path, request)).body as T;
  }

  /** Starts a job; a lost answer does not start it twice. */
  execute(job: NewJob, options?: CallOptions): Promise<{ jobId: string }> {
    return this.#call('POST', '/api/v1/execute', job, options);
  }

  getJob(jobId: string, options: CallOptions & { waitSeconds?: number } = {}): Promise<Job> {
    const path = `/api/v1/job/${part(jobId)}${query({ wait: options.waitSeconds })}`;
    return this.#call('GET', path, undefined, options);
  }

  cancelJob(jobId: string, options?: CallOptions): Promise<{ cancelled: boolean }> {
    return this.#call('POST', `/api/v1/job/${part(jobId)}/cancel`, undefined, options);
  }

  /** The job's events from the start; goes on after a lost connection without a gap. */
  async *jobEvents(jobId: string, options: CallOptions = {}): AsyncGenerator<JobEvent> {
    let lastEventId: string | undefined;
    for (let lost = 0; ; lost++) {
      try {
        for await (const { id, event, data } of await this.#openEvents(
          jobId,
          lastEventId,
          options,
        )) {
          lastEventId = id;
          lost = 0;
          const value = JSON.parse(data) as Record<string, unknown>;
          if (event === 'done') {
            yield { type: 'done', job: value as Job };
            return;
          }
          if (event === 'status' || event === 'text') yield { type: event, ...value } as JobEvent;
        }
      } catch (error) {
        if (options.signal?.aborted) throw error;
        const final = error instanceof MillraceError && !error.retryable;
        if (final || lost >= this.#maxRetries) throw error;
      }
      await this.#world.sleep(
        backoffDelay(lost, EXECUTOR_DEFAULTS, this.#world.random),
        options.signal,
      );
      options.signal?.throwIfAborted();
    }
  }

  async #openEvents(jobId: string, lastEventId: string | undefined, options: CallOptions) {
    const response = await this.#world.fetch(`${this.#apiUrl}/api/v1/job/${part(jobId)}/events`, {
      headers: {
        'x-api-key': this.#apiKey,
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      ...(options.signal ? { signal: options.signal } : {}),
    });
    if (!response.ok) {
      const { error } = (await response.json().catch(() => ({}))) as {
        error?: { code: string; message: string };
      };
      const message = error?.message ?? `The service answered with status ${response.status}`;
      throw new MillraceError(response.status, error?.code ?? 'HTTP_ERROR', message);
    }
    if (response.body === null) throw new MillraceConnectionError('The answer has no body');
    return readEventStream(response.body);
  }

  listRuns(
    page: HistoryFilter & { offset?: number; limit?: number } = {},
    options?: CallOptions,
  ): Promise<{ items: RunSummary[]; total: number; offset: number; limit: number }> {
    return this.#call('GET', `/api/v1/history${query({ ...page })}`, undefined, options);
  }

  /** All runs, newest first, page after page. */
  async *runs(filter: HistoryFilter = {}, options?: CallOptions): AsyncGenerator<RunSummary> {
    for (let offset = 0; ; offset += PAGE) {
      const { items } = await this.listRuns({ ...filter, offset, limit: PAGE }, options);
      yield* items;
      if (items.length < PAGE) return;
    }
  }

  getRun(runId: string, options?: CallOptions): Promise<{ run: RunSummary; streams: RunStream[] }> {
    return this.#call('GET', `/api/v1/history/${part(runId)}`, undefined, options);
  }

  recordRun(
    runId: string,
    body: RecordRunRequest,
    options?: CallOptions,
  ): Promise<{ run: RunSummary; streams: RunStream[] }> {
    return this.#call('PUT', `/api/v1/history/${part(runId)}`, body, options);
  }

  listProviderKeys(options?: CallOptions): Promise<{ keys: ProviderKey[] }> {
    return this.#call('GET', '/api/v1/keys', undefined, options);
  }

  storeProviderKey(
    body: { provider: string; key: string; tosAccepted: true },
    options?: CallOptions,
  ): Promise<ProviderKey & { valid: boolean }> {
    return this.#call('POST', '/api/v1/keys', body, options);
  }

  testProviderKey(
    provider: string,
    options?: CallOptions,
  ): Promise<{ provider: string; valid: boolean; reason?: string }> {
    return this.#call('POST', `/api/v1/keys/${part(provider)}/test`, undefined, options);
  }

  deleteProviderKey(
    provider: string,
    options?: CallOptions,
  ): Promise<{ deleted: boolean; provider: string }> {
    return this.#call('DELETE', `/api/v1/keys/${part(provider)}`, undefined, options);
  }
}
