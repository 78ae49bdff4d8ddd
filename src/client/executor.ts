// The cloud executor: submits a prompt as a job, follows it to its end, and returns what came out.
// It never throws for what the service or the network do: every way it can end is a result.
import type { Artifact } from '../contract/artifact.ts';
import { parseBlocks } from '../domain/artifact/parse-blocks.ts';
import { withJitter } from './backoff.ts';
import { createTransport } from './transport.ts';
import type { RequestOptions, Transport } from './transport.ts';
import { defaultWorld } from './world.ts';
import type { World } from './world.ts';

export interface ExecutorConfig {
  /** Initial polling interval. */
  pollIntervalMs: number;
  maxPollIntervalMs: number;
  /** Total time for a job, a little more than the server allows it. */
  timeoutMs: number;
  /** Retries of one request for transient errors. */
  maxRetries: number;
  retryBaseDelayMs: number;
  retryMaxDelayMs: number;
  jitterFactor: number;
}

export const EXECUTOR_DEFAULTS: Readonly<ExecutorConfig> = {
  pollIntervalMs: 1000,
  maxPollIntervalMs: 10_000,
  timeoutMs: 660_000,
  maxRetries: 5,
  retryBaseDelayMs: 1000,
  retryMaxDelayMs: 30_000,
  jitterFactor: 0.1,
};

export interface StructuredPrompt {
  systemContent?: string;
  projectContext?: string;
  streamContext?: string;
  taskContent?: string;
  fullPrompt?: string;
  cachingHints?: unknown[];
}

export interface ExecutionRequest {
  prompt: string;
  model: string;
  maxTokens: number;
  streamId: string;
  timeoutMs?: number;
  structuredPrompt?: StructuredPrompt;
}

export interface ExecutionResult {
  success: boolean;
  rawResponse: string;
  artifact?: Artifact;
  tokensUsed: { input: number; output: number };
  error?: string;
}

interface JobBody {
  status?: string;
  output?: string;
  artifact?: Artifact;
  tokensUsed?: { input?: number; output?: number };
  error?: string;
}

/** The server says so in its answer to a submit: no request is spent on asking. */
const LONG_POLL_HEADER = 'millrace-long-poll';
/** Below the 30 seconds at which many proxies give up. */
const LONG_POLL_SECONDS = 25;

function failure(error: string, tokens?: JobBody['tokensUsed']): ExecutionResult {
  return { success: false, rawResponse: '', tokensUsed: tokensOf(tokens), error };
}

function tokensOf(tokens: JobBody['tokensUsed']): { input: number; output: number } {
  return { input: tokens?.input ?? 0, output: tokens?.output ?? 0 };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export class CloudExecutor {
  readonly #config: ExecutorConfig;
  readonly #transport: Transport;
  readonly #world: World;

  constructor(
    apiUrl: string,
    apiKey: string,
    config: Partial<ExecutorConfig> = {},
    world: World = defaultWorld,
  ) {
    this.#config = { ...EXECUTOR_DEFAULTS, ...config };
    this.#world = world;
    this.#transport = createTransport({ ...this.#config, apiUrl, apiKey, world });
  }

  async execute(
    request: ExecutionRequest,
    options: { signal?: AbortSignal } = {},
  ): Promise<ExecutionResult> {
    const timeoutMs = request.timeoutMs ?? this.#config.timeoutMs;
    const run = new Run(this.#transport, this.#world, this.#config, {
      request,
      timeoutMs,
      signal: options.signal,
    });
    return run.toEnd();
  }
}

/** One execution: where it is, and how long it may still take. */
class Run {
  readonly #transport: Transport;
  readonly #world: World;
  readonly #config: ExecutorConfig;
  readonly #request: ExecutionRequest;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #deadline: number;
  #interval: number;

  constructor(
    transport: Transport,
    world: World,
    config: ExecutorConfig,
    job: { request: ExecutionRequest; timeoutMs: number; signal: AbortSignal | undefined },
  ) {
    this.#transport = transport;
    this.#world = world;
    this.#config = config;
    this.#request = job.request;
    this.#timeoutMs = job.timeoutMs;
    this.#signal = job.signal;
    this.#deadline = world.now() + job.timeoutMs;
    this.#interval = config.pollIntervalMs;
  }

  async toEnd(): Promise<ExecutionResult> {
    let jobId: string | undefined;
    try {
      const submitted = await this.#submit();
      jobId = submitted.jobId;
      const job = await this.#follow(jobId, submitted.waitSeconds);
      return job === undefined ? await this.#giveUp(jobId) : this.#result(job);
    } catch (error) {
      if (this.#signal?.aborted) return this.#abandon(jobId);
      if (jobId !== undefined && this.#isOver()) return this.#giveUp(jobId);
      return failure(textOf(error));
    }
  }

  #isOver(): boolean {
    return this.#world.now() >= this.#deadline;
  }

  #options(more: RequestOptions = {}): RequestOptions {
    return { signal: this.#signal, deadline: this.#deadline, ...more };
  }

  async #submit(): Promise<{ jobId: string; waitSeconds: number }> {
    const { streamId, prompt, model, maxTokens, structuredPrompt } = this.#request;
    // The same key with every try: an answer that got lost must not start a second job.
    const headers = { 'idempotency-key': this.#world.newKey() };
    const timeoutMs = Math.min(3_600_000, Math.max(1000, this.#timeoutMs));
    const body = { streamId, prompt, model, maxTokens, timeoutMs, structuredPrompt };
    const reply = await this.#transport.request(
      'POST',
      '/api/v1/execute',
      this.#options({ body, headers }),
    );
    const { jobId } = (reply.body ?? {}) as { jobId?: unknown };
    if (typeof jobId !== 'string') throw new Error('The service did not return a job id');
    const offered = Number(reply.headers.get(LONG_POLL_HEADER) ?? 0);
    return {
      jobId,
      waitSeconds: Math.min(LONG_POLL_SECONDS, Number.isFinite(offered) ? offered : 0),
    };
  }

  /** The job when it has ended; undefined when the time was over first. */
  async #follow(jobId: string, waitSeconds: number): Promise<JobBody | undefined> {
    const path = `/api/v1/job/${encodeURIComponent(jobId)}`;
    while (!this.#isOver()) {
      const askedAt = this.#world.now();
      // Whole seconds that are left: the timeout is ours to notice, not the server's.
      const leftSeconds = Math.floor((this.#deadline - askedAt) / 1000);
      const wait = Math.min(waitSeconds, leftSeconds);
      const onLimited = () => this.#slowDown();
      const query = wait > 0 ? `?wait=${wait}` : '';
      const reply = await this.#transport.request(
        'GET',
        path + query,
        this.#options({ onLimited }),
      );
      const job = (reply.body ?? {}) as JobBody;
      if (job.status === 'completed' || job.status === 'failed') return job;
      if (job.status !== 'pending' && job.status !== 'running') {
        throw new Error(`The service answered with an unknown status "${job.status ?? ''}"`);
      }
      // A wait that was cut short (the server is stopping) falls back to the pause between polls.
      const waited = this.#world.now() - askedAt;
      if (wait > 0 && waited >= wait * 900) continue;
      await this.#pause();
    }
    return undefined;
  }

  #slowDown(): void {
    this.#interval = Math.min(this.#interval * 2, this.#config.maxPollIntervalMs);
  }

  async #pause(): Promise<void> {
    const ms = withJitter(this.#interval, this.#config.jitterFactor, this.#world.random);
    await this.#world.sleep(
      Math.min(ms, Math.max(0, this.#deadline - this.#world.now())),
      this.#signal,
    );
    this.#signal?.throwIfAborted();
    this.#slowDown();
  }

  #result(job: JobBody): ExecutionResult {
    if (job.status === 'failed') return failure(job.error ?? 'The job failed', job.tokensUsed);
    const rawResponse = job.output ?? '';
    const artifact = job.artifact ?? this.#extract(rawResponse);
    return {
      success: true,
      rawResponse,
      ...(artifact === undefined ? {} : { artifact }),
      tokensUsed: tokensOf(job.tokensUsed),
    };
  }

  #extract(text: string): Artifact | undefined {
    // JSON only: plain-text edits are read by the server, and reading them here would double our size.
    const parsed = parseBlocks(text, this.#request.streamId);
    return parsed.kind === 'found' ? parsed.artifact : undefined;
  }

  async #giveUp(jobId: string): Promise<ExecutionResult> {
    const tokens = await this.#cancel(jobId);
    return failure(`Cloud execution timed out after ${this.#timeoutMs}ms (job cancelled)`, tokens);
  }

  async #abandon(jobId: string | undefined): Promise<ExecutionResult> {
    const tokens = jobId === undefined ? undefined : await this.#cancel(jobId);
    return failure('Cloud execution aborted (job cancelled)', tokens);
  }

  /** Stops the job and tells what it used; what cannot be had is not worth another failure. */
  async #cancel(jobId: string): Promise<JobBody['tokensUsed']> {
    const path = `/api/v1/job/${encodeURIComponent(jobId)}`;
    try {
      await this.#transport.request('POST', `${path}/cancel`);
      const reply = await this.#transport.request('GET', path);
      return ((reply.body ?? {}) as JobBody).tokensUsed;
    } catch {
      return undefined;
    }
  }
}
