// The calls of one attempt of a job: with the right key, at the rate of the key, tried again where that
// can help.
//
// A session is a loop of turns, one call each. Before a turn the rate limiter of the key lets the call start; a pause
// that is too long to hold a slot for ends the session as `postponed`. What came of the call decides:
//   completed     The session ends.
//   aborted       By our own signal (cancel, drain, a lost node): the session ends as `stopped`.
//   rate limited  Before any text: the rate limiter has learned from it, and the turn is repeated without counting as a
//                 try, unless the pause is longer than the job has left.
//   slow          At the flex tier, when only the share of the standard tier is left of the job's time (see flex-share): the
//                 call is ended, and the job continues at the standard tier. So it does when flex has no room for longer.
//   too long      The vendor names a lower output limit: asked once more with that.
//   failed        `decideRetry` says whether another turn can help and after which pause. A long pause postpones the job.
//                 Another call that costs something needs a reservation of its own, else the failure is the end.
// Tokens add up over the turns, and the text that is kept is that of the last turn which brought any.
import type { ServiceTier } from '../contract/fields.ts';
import type { StopReason } from '../contract/job-api.ts';
import type { JobCode } from '../contract/job-codes.ts';
import { flexMsOf } from '../domain/job/flex-time.ts';
import { decideRetry } from '../domain/job/retry.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger, Scrubber } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Telemetry } from '../platform/telemetry.ts';
import { codeOf } from '../providers/provider.ts';
import type {
  Provider,
  ProviderFailure,
  ProviderOutcome,
  ProviderRequest,
  TurnAnswer,
} from '../providers/provider.ts';
import type { ClaimedJob } from '../store/jobs/claim-jobs.ts';
import type { UsedTokens } from '../store/jobs/job-outcome.ts';
import { GENERATIONS_PER_ATTEMPT } from '../store/jobs/lost-calls.ts';
import type { WaitFeed } from '../store/jobs/wait-feed.ts';
import { LONG_WAIT_MS } from './rate-limiter.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { enterGates, gatesOf, pauseOf, wasTurnedAway } from './call-gates.ts';
import type { CallGates } from './call-gates.ts';
import { openFlexShare } from './flex-share.ts';
import type { FlexShare } from './flex-share.ts';
import type { JobKey, JobKeys } from './job-keys.ts';
import { IDLE_LIMIT_MS, callModel } from './model-call.ts';
import { requestOf } from './model-request.ts';
import { traceModelCall } from './trace-model-call.ts';
import { NOTHING_USED } from '../store/jobs/job-outcome.ts';
import { addCall, costOf } from './used-tokens.ts';

export type SessionEnd =
  | { kind: 'completed'; output: string; stopReason: StopReason; turn: TurnAnswer | undefined }
  | { kind: 'failed'; error: string; errorCode: JobCode }
  /** The signal aborted; its reason says why. */
  | { kind: 'stopped' }
  /** The vendor wants a long pause: the slot is better used by another job. */
  | { kind: 'postponed'; delayMs: number };

export interface SessionResult {
  end: SessionEnd;
  used: UsedTokens;
  /** Whether a model was called at all: only then is there something for the ledger. */
  called: boolean;
  /** Calls of the whole job that count against its tries. */
  calls: number;
  /** The last text that came, and which writing of the text it is. */
  text: string;
  generation: number;
  /** The tier whose price the answer has, of a job that requested one. */
  usedServiceTier?: ServiceTier;
}

export interface SessionDeps {
  /** The most that a model may work on one job. */
  processingLimitMs: number;
  /** What is kept at least of a job's time for the standard tier. */
  leastStandardMs: number;
  providers: { find(id: string): Provider | undefined };
  keys: JobKeys;
  rateLimiter: RateLimiter;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  telemetry: Telemetry;
  scrubber: Scrubber;
  waits: WaitFeed;
  onText(job: ClaimedJob, generation: number, delta: string): void;
  /** Before a call is made again that used tokens: what all calls of the attempt used until then. */
  keepUsed(job: ClaimedJob, generation: number, used: UsedTokens): Promise<void>;
  /** Sets the cost of another call aside from the team's budget; false when it does not fit. */
  reserveAgain(job: ClaimedJob): Promise<boolean>;
}

interface Tracking {
  limitMs: number;
  signal: AbortSignal;
  /** What is known of the calls so far, for an error that ends them. */
  progress: { result: SessionResult };
}

const FLEX_TOO_SLOW: ProviderFailure = {
  kind: 'timeout',
  message: 'The model did not answer at the flex tier in time',
  retryable: true,
};

/** Where no more flex calls are made, but one at the standard tier is. Text that broke off twice is not paid for again. */
const ENDS_OF_FLEX: ReadonlySet<string> = new Set(['no_time_left', 'calls_used_up']);

/** What the answer does not report is taken for the standard tier, as its price is. */
function usedTierOf(
  { serviceTier }: ClaimedJob,
  { reportedTier }: ProviderOutcome,
): Pick<SessionResult, 'usedServiceTier'> {
  if (serviceTier === null) return {};
  return { usedServiceTier: reportedTier === 'flex' ? 'flex' : 'standard' };
}

interface OneCall {
  trace: string | null;
  gates: CallGates;
  idleLimitMs?: number | undefined;
  onStart(): void;
  onText(delta: string): void;
}

const hasUsed = ({ used }: SessionResult) => used.input + used.output > 0;

export function createModelSessions(deps: SessionDeps) {
  async function callOnce(
    provider: Provider,
    request: ProviderRequest,
    key: JobKey,
    { trace, gates, idleLimitMs, onStart, onText }: OneCall,
  ): Promise<ProviderOutcome | undefined> {
    const permit = await enterGates(deps.rateLimiter, gates, request.signal);
    if (permit === undefined) return undefined;
    onStart();
    if (key.value !== undefined) deps.scrubber.add(key.value);
    let outcome: ProviderOutcome | undefined;
    try {
      const call = { provider: provider.id, request, parent: trace };
      outcome = await traceModelCall(deps, call, () =>
        callModel(provider, request, onText, idleLimitMs),
      );
      return outcome;
    } finally {
      permit.leave(outcome);
      if (key.value !== undefined) deps.scrubber.remove(key.value);
    }
  }

  async function report(key: JobKey, outcome: ProviderOutcome): Promise<void> {
    if (outcome.kind === 'completed') await key.report(true);
    if (outcome.kind === 'failed' && outcome.failure.kind === 'auth') await key.report(false);
  }

  function failing(job: ClaimedJob, error: string, errorCode: JobCode): SessionResult {
    const end = { kind: 'failed' as const, error, errorCode };
    const generation = job.attempt * GENERATIONS_PER_ATTEMPT;
    return { end, used: NOTHING_USED, called: false, calls: job.calls, text: '', generation };
  }

  /**
   * A budget was reserved for one call that costs something. Whether there is more for another is for the
   * execution to decide where it has a budget of its own, and for that of the team.
   */
  async function mayPayAgain(job: ClaimedJob): Promise<boolean> {
    if (job.payOnce) return false;
    return job.reservedUsd === null || deps.reserveAgain(job);
  }

  /** Total: a bug on the way fails the job, with what its calls used until then. */
  async function run(
    job: ClaimedJob,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<SessionResult> {
    const error = 'Something went wrong on the server; try again';
    const progress = { result: failing(job, error, 'INTERNAL_ERROR') };
    try {
      return await runTracked(job, { limitMs, signal, progress });
    } catch (bug) {
      deps.log.error({ jobId: job.id, err: bug }, 'job failed because of a bug');
      const end = { kind: 'failed' as const, error, errorCode: 'INTERNAL_ERROR' as const };
      return { ...progress.result, end };
    }
  }

  async function runTracked(job: ClaimedJob, tracking: Tracking): Promise<SessionResult> {
    const provider = deps.providers.find(job.provider);
    if (provider === undefined) {
      const error = `The provider "${job.provider}" is not available on this server`;
      return failing(job, error, 'PROVIDER_UNAVAILABLE');
    }
    if (job.hasUsage && !(await mayPayAgain(job))) {
      const error = 'An earlier attempt used the budget reserved for this call';
      return failing(job, error, 'RESERVE_USED');
    }
    const found = await deps.keys.find(job);
    if (found.kind === 'missing') {
      return failing(job, `The key for ${job.provider} was removed`, 'NO_PROVIDER_KEY');
    }
    if (found.kind === 'unusable') {
      const error = `The stored key for ${job.provider} cannot be decrypted; store it again`;
      return failing(job, error, 'NO_PROVIDER_KEY');
    }
    return callUntilDone(job, provider, found.key, tracking);
  }

  async function callUntilDone(
    job: ClaimedJob,
    provider: Provider,
    key: JobKey,
    tracking: Tracking,
  ): Promise<SessionResult> {
    const { limitMs, signal } = tracking;
    const { leastStandardMs, processingLimitMs } = deps;
    const wholeMs = Math.min(job.timeoutMs, processingLimitMs);
    const flexMs = flexMsOf({ wholeMs, leftMs: limitMs, leastStandardMs });
    if (job.serviceTier !== 'flex' || flexMs <= 0) return callInTurns(job, provider, key, tracking);
    const flex = openFlexShare(deps.clock, flexMs, signal);
    try {
      return await callInTurns(job, provider, key, { ...tracking, flex });
    } finally {
      flex.release();
    }
  }

  async function callInTurns(
    job: ClaimedJob,
    provider: Provider,
    key: JobKey,
    { limitMs, signal, progress, ...tracking }: Tracking & { flex?: FlexShare },
  ): Promise<SessionResult> {
    const startedAt = deps.clock.now();
    /** Until the job continues at the standard tier. */
    let { flex } = tracking;
    const remainingMs = () => limitMs - (deps.clock.now() - startedAt);
    let request = requestOf(job, key, signal);
    let result: SessionResult = {
      end: { kind: 'stopped' },
      used: NOTHING_USED,
      called: false,
      calls: job.calls,
      text: '',
      generation: job.attempt * GENERATIONS_PER_ATTEMPT,
    };
    let restartsAfterText = 0;
    let isShortened = false;
    /** The vendor turned this very job away, and said so. */
    let turnedAway: string | undefined;
    for (let turn = 0; ; turn++) {
      const generation =
        job.attempt * GENERATIONS_PER_ATTEMPT + Math.min(turn, GENERATIONS_PER_ATTEMPT - 1);
      let output = '';
      const gates = gatesOf(key.paceKey, job.model, flex !== undefined);
      const pauseMs = pauseOf(deps.rateLimiter, gates);
      deps.waits.begin(job.id, {
        reason: turnedAway === undefined ? 'key_paused' : 'rate_limited',
        ms: pauseMs,
        detail: turnedAway,
      });
      const asked: ProviderRequest =
        flex === undefined ? request : { ...request, serviceTier: 'flex', signal: flex.signal };
      const outcome = await callOnce(provider, asked, key, {
        trace: job.trace,
        gates,
        // At the flex tier vendors are silent for minutes before they begin; the share ends that.
        idleLimitMs: flex && Math.max(IDLE_LIMIT_MS, limitMs),
        onStart: () => deps.waits.end(job.id),
        onText: (delta) => {
          output += delta;
          deps.onText(job, generation, delta);
        },
      });
      if (outcome === undefined) {
        if (signal.aborted) return { ...result, end: { kind: 'stopped' } };
        const delayMs = pauseOf(deps.rateLimiter, gates);
        if (flex !== undefined && (flex.signal.aborted || delayMs >= flex.remainingMs())) {
          flex = undefined;
          continue;
        }
        return { ...result, end: { kind: 'postponed', delayMs } };
      }
      deps.metrics.modelUsed({
        provider: provider.id,
        model: job.model,
        simulated: provider.simulated,
        usage: outcome.usage,
        costUsd: costOf(outcome, provider, job.model),
      });
      const limited = wasTurnedAway(outcome, gates);
      result = {
        ...result,
        used: addCall(result.used, outcome, provider, job.model),
        called: true,
        // Being turned away is the business of the rate limiter, not a try of the job.
        calls: result.calls + (limited ? 0 : 1),
        // A call that brought nothing does not take the place of text that came before it.
        ...(output === '' ? {} : { text: output, generation }),
      };
      progress.result = result;
      await report(key, outcome);
      if (outcome.kind === 'completed') {
        const { finish: stopReason, turn: answered } = outcome;
        const end = { kind: 'completed' as const, output, stopReason, turn: answered };
        return { ...result, generation, end, ...usedTierOf(job, outcome) };
      }
      if (signal.aborted || (outcome.kind === 'aborted' && flex === undefined))
        return { ...result, end: { kind: 'stopped' } };
      const failure = outcome.kind === 'failed' ? outcome.failure : FLEX_TOO_SLOW;
      const limit = failure.outputLimit?.tokens ?? Infinity;
      if (!isShortened && limit < (request.maxTokens ?? Infinity)) {
        // Refused for its length: asked once more at the limit that the vendor names.
        isShortened = true;
        request = { ...request, maxTokens: limit };
        continue;
      }
      const failed = {
        kind: 'failed' as const,
        error: failure.message,
        errorCode: codeOf(failure.kind),
      };
      if (limited && output === '') {
        // The rate limiter holds the next call back; only a job without time for it fails.
        if (deps.rateLimiter.pauseMs(key.paceKey) >= remainingMs())
          return { ...result, end: failed };
        deps.metrics.modelRetries.inc({ kind: failure.kind });
        turnedAway = failure.message;
        if (flex && pauseOf(deps.rateLimiter, gates) >= flex.remainingMs()) flex = undefined;
        continue;
      }
      // The calls of tools are text, too: they are paid for and thrown away.
      const textAppeared =
        output !== '' || (request.conversation !== undefined && outcome.usage.output > 0);
      const decision = decideRetry({
        failure,
        call: result.calls,
        textAppeared,
        restartsAfterText,
        remainingMs: flex?.remainingMs() ?? remainingMs(),
        random: Math.random,
      });
      const isFlexOver =
        flex !== undefined &&
        decision.kind === 'fail' &&
        (failure === FLEX_TOO_SLOW || ENDS_OF_FLEX.has(decision.reason));
      if (decision.kind === 'fail' && !isFlexOver) return { ...result, end: failed };
      if (hasUsed(result) && !(await mayPayAgain(job))) return { ...result, end: failed };
      deps.metrics.modelRetries.inc({ kind: failure.kind });
      if (textAppeared) restartsAfterText += 1;
      turnedAway = undefined;
      if (hasUsed(result)) await deps.keepUsed(job, generation, result.used);
      if (decision.kind === 'fail') {
        flex = undefined;
        continue;
      }
      const wait = { reason: 'retry' as const, ms: decision.delayMs, detail: failure.message };
      deps.waits.begin(job.id, wait);
      if (decision.delayMs > LONG_WAIT_MS) {
        return { ...result, end: { kind: 'postponed', delayMs: decision.delayMs } };
      }
      await deps.clock.sleep(decision.delayMs, signal);
      deps.waits.end(job.id);
      if (signal.aborted) return { ...result, end: { kind: 'stopped' } };
    }
  }

  return { run };
}
