// One model call as a job of a Millrace server: submitted under a key that the server knows again,
// so that a run which was cut off resumes with the job it paid for instead of starting a second.
import { MillraceConnectionError, MillraceError } from '../../client/index.ts';
import type { JobDetails, MillraceClient, NewJob, NewTurn, OnWait } from '../../client/index.ts';
import type { Artifact } from '../../contract/artifact.ts';
import type { AssistantMessage } from '../../contract/conversation-api.ts';
import type { JobWaiting } from '../../contract/job-api.ts';
import type { Tokens } from '../../contract/run-events.ts';
import { routeModel } from '../../domain/model/model-routing.ts';
import { cutOffOf } from '../../domain/run/cut-off.ts';
import type { CutOff } from '../../domain/run/cut-off.ts';
import type { Halt, HaltKind } from '../../domain/run/halt.ts';
import { plainCommand } from '../../domain/command/suggested-command.ts';

/** Why the server does not make a call: it could pass what the run, or the stream, may cost. */
export interface CapRefusal {
  /** Null for that of the run. */
  streamId?: string | null;
  limitUsd: number;
  spentUsd: number;
  reservedUsd: number;
  costUsd: number;
}

export type CallEnd =
  | {
      kind: 'answered';
      output: string;
      artifact: Artifact | undefined;
      /** Of a turn of a conversation. */
      assistantMessage: AssistantMessage | undefined;
      /** No more tokens were allowed: what came is a part of the answer. */
      cutOff: CutOff | undefined;
      tokens: Tokens;
      costUsd: number | null;
      simulated: boolean;
      /** Nobody was asked. */
      isCached?: true;
    }
  | {
      kind: 'failed';
      error: string;
      /** The service's own code, or UNREACHABLE. */
      code: string;
      status: number | undefined;
      cap?: CapRefusal;
      tokens: Tokens;
      costUsd: number | null;
    }
  /** Stopped from here: what it had used by then is known. */
  | { kind: 'stopped'; tokens: Tokens; costUsd: number | null };

/** What became of a question; the call may be one that nobody may afford. */
export type Asked =
  | CallEnd
  | {
      kind: 'over_budget';
      neededUsd: number | null;
      spentUsd: number;
      /** Only this stream has used up what it may cost. */
      isOfStream?: true;
    };

export interface CallOptions {
  signal: AbortSignal;
  /** Done before anything is sent. */
  before?(signal: AbortSignal): Promise<void>;
  /** A job that an earlier process submitted for this call. */
  jobId: string | undefined;
  onSubmitted(jobId: string): Promise<void>;
  /** The text must be reported as it comes, even where nobody watches. */
  isWatched: boolean;
  onText(length: number): void;
  /** A request is sent again later. */
  onWait: OnWait;
  /** The job waits on the server; undefined when it no longer does. */
  onJobWait(waiting: JobWaiting | undefined): void;
}

export interface ModelCaller {
  call(job: NewJob | NewTurn, key: string, options: CallOptions): Promise<CallEnd>;
}

/** Below the 30 seconds at which many proxies give up. */
const WAIT_SECONDS = 25;
/** A person who stops a run waits for this. */
const FIND_MS = 3000;
const NO_TOKENS: Tokens = { input: 0, output: 0, cachedInput: 0 };

function tokensOf(job: JobDetails): Tokens {
  const used = 'tokensUsed' in job ? job.tokensUsed : { input: 0, output: 0 };
  return { ...used, cachedInput: job.cachedInputTokens };
}

function failed(error: unknown): CallEnd {
  const nothing = { tokens: NO_TOKENS, costUsd: 0 };
  if (error instanceof MillraceError) {
    const { message, status } = error;
    // The detail says more than that something was not valid.
    const [detail] = Array.isArray(error.details) ? (error.details as { code?: string }[]) : [];
    const code = detail?.code ?? error.code;
    const cap = (error.details as { cap?: CapRefusal } | undefined)?.cap;
    return { kind: 'failed', error: message, code, status, ...(cap && { cap }), ...nothing };
  }
  if (error instanceof MillraceConnectionError) {
    const status = undefined;
    return { kind: 'failed', error: error.message, code: 'UNREACHABLE', status, ...nothing };
  }
  throw error;
}

/** What was asked for, as far as it says how to read what came of it. */
type AskedLength = Pick<NewJob, 'model' | 'maxTokens'>;

function cutOffIn(job: JobDetails, { model, maxTokens }: AskedLength): CutOff | undefined {
  if (job.stopReason !== 'length') return undefined;
  return cutOffOf(model, { maxTokens, outputTokens: tokensOf(job).output });
}

function endOf(job: JobDetails, asked: AskedLength): CallEnd | undefined {
  const used = { tokens: tokensOf(job), costUsd: job.costUsd };
  if (job.status === 'completed') {
    const { output, artifact, assistantMessage, simulated } = job;
    const cutOff = cutOffIn(job, asked);
    return { kind: 'answered', output, artifact, assistantMessage, cutOff, simulated, ...used };
  }
  if (job.status !== 'failed') return undefined;
  const code = job.errorCode ?? 'FAILED';
  return { kind: 'failed', error: job.error, code, status: undefined, ...used };
}

export function createModelCaller(
  client: MillraceClient,
  { isLive }: { isLive: boolean },
): ModelCaller {
  /** Until the last text; what became of the job is asked afterwards. */
  async function watch(
    jobId: string,
    signal: AbortSignal,
    { onText, onJobWait }: Pick<CallOptions, 'onText' | 'onJobWait'>,
  ) {
    let length = 0;
    let generation = -1;
    for await (const event of client.jobEvents(jobId, { signal })) {
      if (event.type === 'status') onJobWait(event.waiting);
      if (event.type !== 'text') continue;
      // An answer that broke off starts over.
      if (event.generation !== generation) length = 0;
      generation = event.generation;
      length += event.text.length;
      onText(length);
    }
  }

  async function follow(
    { jobId, ...asked }: { jobId: string } & AskedLength,
    signal: AbortSignal,
    {
      onText,
      onWait,
      onJobWait,
    }: Pick<CallOptions, 'onWait' | 'onJobWait'> & { onText: CallOptions['onText'] | undefined },
  ): Promise<CallEnd> {
    if (onText) {
      await watch(jobId, signal, { onText, onJobWait }).catch((error: unknown) => {
        if (signal.aborted) throw error;
      });
    }
    for (;;) {
      const job = await client.getJobDetails(jobId, { waitSeconds: WAIT_SECONDS, signal, onWait });
      const end = endOf(job, asked);
      if (end) return end;
      onJobWait(job.waiting);
    }
  }

  /** The job of a submit whose reply never came: the server knows it by its key. */
  async function findJob(job: NewJob | NewTurn, key: string): Promise<string | undefined> {
    try {
      const signal = AbortSignal.timeout(FIND_MS);
      return (await client.execute(job, { signal, idempotencyKey: key })).jobId;
    } catch {
      return undefined;
    }
  }

  async function stop(jobId: string | undefined): Promise<CallEnd> {
    if (jobId === undefined) return { kind: 'stopped', tokens: NO_TOKENS, costUsd: 0 };
    try {
      await client.cancelJob(jobId);
      const job = await client.getJobDetails(jobId);
      return { kind: 'stopped', tokens: tokensOf(job), costUsd: job.costUsd };
    } catch {
      return { kind: 'stopped', tokens: NO_TOKENS, costUsd: null };
    }
  }

  return {
    async call(
      job,
      key,
      { signal, onSubmitted, onText, onWait, onJobWait, isWatched, ...options },
    ) {
      let { jobId } = options;
      let isSubmitting = false;
      try {
        await options.before?.(signal);
        if (jobId === undefined) {
          signal.throwIfAborted();
          isSubmitting = true;
          const submitted = await client.execute(job, { signal, idempotencyKey: key, onWait });
          jobId = submitted.jobId;
          await onSubmitted(jobId);
        }
        const { model, maxTokens } = job;
        const shown = isLive || isWatched ? onText : undefined;
        const asked = { jobId, model, maxTokens };
        return await follow(asked, signal, { onText: shown, onWait, onJobWait });
      } catch (error) {
        // Left alone it would run, and be paid for, without anybody waiting for it.
        if (signal.aborted && isSubmitting) jobId ??= await findJob(job, key);
        if (signal.aborted) return stop(jobId);
        return failed(error);
      }
    },
  };
}

// Failures that every stream would meet as well: the run stops where it is and can be resumed.

const MODEL_CODES = new Set(['UNKNOWN_MODEL', 'NO_PROVIDER_KEY', 'PRICE_UNKNOWN']);

function kindOf(code: string, status: number | undefined): HaltKind | undefined {
  if (code === 'UNREACHABLE' || (status !== undefined && status >= 500)) return 'unreachable';
  if (status === 401 || status === 403) return 'not_authorised';
  if (status === 402 || status === 429) return 'limited';
  if (MODEL_CODES.has(code)) return 'model';
  return undefined;
}

export function haltOf(asked: Asked, model: string): Halt | undefined {
  if (asked.kind === 'over_budget') {
    const { neededUsd, spentUsd } = asked;
    if (neededUsd === null) {
      return { kind: 'model', reason: noPriceOf(model) };
    }
    const [needed, spent] = [neededUsd, spentUsd].map((usd) => `$${usd.toFixed(4)}`);
    const reason = `the next call could cost ${needed}, more than what is left; ${spent} spent`;
    return { kind: 'budget', reason, spentUsd, nextUsd: spentUsd + neededUsd };
  }
  if (asked.kind !== 'failed') return undefined;
  const kind = kindOf(asked.code, asked.status);
  return kind && { kind, reason: reasonOf(asked, model) };
}

const noPriceOf = (model: string) =>
  `no price is known for ${model}, so the budget cannot be kept; add the price, or run without a limit`;

function reasonOf({ code, error }: Extract<CallEnd, { kind: 'failed' }>, model: string): string {
  if (code === 'PRICE_UNKNOWN') return noPriceOf(model);
  return code === 'NO_PROVIDER_KEY' ? noKeyFor(model) : error;
}

/** The service speaks of its routes; here there are commands. */
function noKeyFor(model: string): string {
  const route = routeModel(model);
  const [whose, name] =
    route.kind === 'routed' ? [route.provider, route.provider] : [model, 'PROVIDER'];
  return `the server has no key for ${whose}; store yours with "${plainCommand('keys', 'add', name)}"`;
}
