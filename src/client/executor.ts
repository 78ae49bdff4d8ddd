// The cloud executor: submits a prompt as a job, follows it to its end, and returns what came out.
// It never throws for what the service or the network do: every way it can end is a result.
import type { Artifact } from '../contract/artifact.ts';
import { parseBlocks } from '../domain/artifact/parse-blocks.ts';
import { withJitter } from './backoff.ts';
import { NoTimeLeftError } from './errors.ts';
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
/** What a server may take to cancel a job and tell its tokens before its silence is the answer. */
const CANCEL_BOUND_MS = 3000;
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
  readonly #deps: RunDeps;

  constructor(
    apiUrl: string,
    apiKey: string,
    config: Partial<ExecutorConfig> = {},
    world: World = defaultWorld,
  ) {
    const all = { ...EXECUTOR_DEFAULTS, ...config };
    const transport = createTransport({ ...all, apiUrl, apiKey, world });
    this.#deps = { transport, world, config: all };
  }

  execute(
    request: ExecutionRequest,
    options: { signal?: AbortSignal } = {},
  ): Promise<ExecutionResult> {
    return runToEnd(this.#deps, request, options.signal);
  }
}

interface RunDeps {
  transport: Transport;
  world: World;
  config: ExecutorConfig;
}

/** One execution: where it is, and how long it may still take. */
async function runToEnd(
  { transport, world, config }: RunDeps,
  request: ExecutionRequest,
  signal: AbortSignal | undefined,
): Promise<ExecutionResult> {
  const timeoutMs = request.timeoutMs ?? config.timeoutMs;
  const deadline = world.now() + timeoutMs;
  const timeUp = new AbortController();
  const ending = signal ? AbortSignal.any([signal, timeUp.signal]) : timeUp.signal;
  // The same key with every try: an answer that got lost must not start a second job.
  const idempotencyKey = world.newKey();
  let interval = config.pollIntervalMs;
  let jobPath: string | undefined;
  /** The service may have a job of ours whose id we do not know. */
  let submitting = false;

  const isOver = () => timeUp.signal.aborted || world.now() >= deadline;
  const ask = (method: string, path: string, more?: RequestOptions) =>
    transport.request(method, path, { signal: ending, deadline, ...more });

  function slowDown(): void {
    interval = Math.min(interval * 2, config.maxPollIntervalMs);
  }

  async function submit(limits?: RequestOptions): Promise<number> {
    const { streamId, prompt, model, maxTokens, structuredPrompt } = request;
    const serverTimeoutMs = Math.min(3_600_000, Math.max(1000, timeoutMs));
    const reply = await ask('POST', '/api/v1/execute', {
      body: { streamId, prompt, model, maxTokens, timeoutMs: serverTimeoutMs, structuredPrompt },
      headers: { 'idempotency-key': idempotencyKey },
      onSend: () => void (submitting = true),
      onLimited: () => void (submitting = false),
      ...limits,
    });
    submitting = false;
    const { jobId } = (reply.body ?? {}) as { jobId?: unknown };
    if (typeof jobId !== 'string') throw new Error('The service did not return a job id');
    jobPath = `/api/v1/job/${encodeURIComponent(jobId)}`;
    const offered = Number(reply.headers.get(LONG_POLL_HEADER) ?? 0);
    return Math.min(LONG_POLL_SECONDS, Number.isFinite(offered) ? offered : 0);
  }

  /** The job when it has ended; undefined when the time was over first. */
  async function follow(waitSeconds: number): Promise<JobBody | undefined> {
    while (!isOver()) {
      const askedAt = world.now();
      // Whole seconds that are left: the timeout is ours to notice, not the server's.
      const wait = Math.min(waitSeconds, Math.floor((deadline - askedAt) / 1000));
      const query = wait > 0 ? `?wait=${wait}` : '';
      const reply = await ask('GET', jobPath + query, { onLimited: slowDown });
      const job = (reply.body ?? {}) as JobBody;
      if (job.status === 'completed' || job.status === 'failed') return job;
      if (job.status !== 'pending' && job.status !== 'running') {
        throw new Error(`The service answered with an unknown status "${job.status ?? ''}"`);
      }
      // A wait that was cut short (the server is stopping) falls back to the pause between polls.
      if (wait > 0 && world.now() - askedAt >= wait * 900) continue;
      await pause();
    }
    return undefined;
  }

  async function pause(): Promise<void> {
    const ms = withJitter(interval, config.jitterFactor, world.random);
    await world.sleep(Math.min(ms, Math.max(0, deadline - world.now())), ending);
    ending.throwIfAborted();
    slowDown();
  }

  function resultOf(job: JobBody): ExecutionResult {
    if (job.status === 'failed') return failure(job.error ?? 'The job failed', job.tokensUsed);
    const rawResponse = job.output ?? '';
    const artifact = job.artifact ?? extract(rawResponse, request.streamId);
    const tokensUsed = tokensOf(job.tokensUsed);
    return { success: true, rawResponse, ...(artifact ? { artifact } : {}), tokensUsed };
  }

  /** Cancels the job and fetches its tokens, within a bound of its own. What is not known by then
   * stays unknown: a silent server must not hold up the result. */
  async function cancelJob(): Promise<JobBody['tokensUsed']> {
    const bound = new AbortController();
    const clear = world.after(CANCEL_BOUND_MS, () => bound.abort());
    const limits = { signal: bound.signal, deadline: world.now() + CANCEL_BOUND_MS };
    try {
      // A submit that was never answered may have made a job all the same; its key finds it.
      if (!jobPath && submitting) await submit(limits);
      if (!jobPath) return undefined;
      await transport.request('POST', `${jobPath}/cancel`, limits);
      const { body } = await transport.request('GET', jobPath, limits);
      return (body as JobBody | null)?.tokensUsed;
    } catch {
      return undefined;
    } finally {
      clear();
    }
  }

  async function cancelled(why: string): Promise<ExecutionResult> {
    return failure(`Cloud execution ${why} (job cancelled)`, await cancelJob());
  }

  const timedOut = () => cancelled(`timed out after ${timeoutMs}ms`);

  async function endOf(error: unknown): Promise<ExecutionResult> {
    if (signal?.aborted) return cancelled('aborted');
    if (isOver()) return timedOut();
    // Nothing more can be learned of the job before the deadline.
    if (jobPath && error instanceof NoTimeLeftError) {
      await world.sleep(Math.max(0, deadline - world.now()), ending);
      return signal?.aborted ? cancelled('aborted') : timedOut();
    }
    // Nobody will come for the result of a job that could not be followed.
    const tokens =
      jobPath && (error as { retryable?: boolean }).retryable ? await cancelJob() : undefined;
    return failure(textOf(error), tokens);
  }

  const clear = world.after(timeoutMs, () => timeUp.abort());
  try {
    const job = await follow(await submit());
    return job ? resultOf(job) : await timedOut();
  } catch (error) {
    return await endOf(error);
  } finally {
    clear();
  }
}

function extract(text: string, streamId: string): Artifact | undefined {
  // JSON only: plain-text edits are read by the server, and reading them here would double our size.
  const parsed = parseBlocks(text, streamId);
  return parsed.kind === 'found' ? parsed.artifact : undefined;
}
