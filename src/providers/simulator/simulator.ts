import { createHash } from 'node:crypto';
import { NO_USAGE } from '../provider.ts';
import type { Provider, ProviderOutcome, ProviderRequest, Usage } from '../provider.ts';
import { createAnswer } from './answer.ts';
import { aborted, createRealClock, type SimulatorClock } from './clock.ts';
import { createDueFailures } from './due-failures.ts';
import { failureOf } from './failures.ts';
import { scriptedSpeed } from './speed.ts';
import { createPrefixCache, piecesOf } from './prefix-cache.ts';
import { simulatedCostUsd } from './price.ts';
import { readScript } from './script.ts';
import type { Script } from './script-model.ts';
import { simulatedTurn, turnAnswer } from './turn.ts';
import { digestOf as digestOfTurn, piecesOf as piecesOfTurn } from './wire/conversation-pieces.ts';
import { RefusedBody } from './wire/conversation.ts';
import type { Conversation } from './wire/conversation.ts';
import { exchangeText, planReply } from './wire/reply.ts';
import type { Segment } from './wire/reply.ts';
import { speak } from './wire/speak.ts';

export interface SimulatorOptions {
  clock?: SimulatorClock;
  /** Milliseconds between two chunks, for every model; a directive in the prompt still wins. */
  paceMs?: number;
}

/** A model that needs no key and no network: see docs/simulator.md. */
export function createSimulator(options: SimulatorOptions = {}): Provider {
  const clock = options.clock ?? createRealClock();
  const cache = createPrefixCache({ now: () => clock.now() });
  const failures = createDueFailures();

  return {
    id: 'simulator',
    simulated: true,
    needsKey: false,
    offersTier: () => true,
    costUsd: (_model, usage) => simulatedCostUsd(usage),
    async run(request, onText): Promise<ProviderOutcome> {
      const { signal } = request;
      if (signal.aborted) return { kind: 'aborted', usage: NO_USAGE };
      const { model, maxTokens, conversation } = request;
      const turn = conversation && simulatedTurn(model, maxTokens, conversation);
      const script = readScript(turn ? exchangeText(turn) : request.prompt, request.streamId);
      const speed = scriptedSpeed(model, script, options.paceMs);
      const digest = turn ? digestOfTurn(turn) : digestOf(request);
      const pieces = turn ? piecesOfTurn(turn) : piecesOf(request);
      const entry = cache.enter({ ...request, pieces });
      if (script.hang === true) await aborted(signal);
      else if (speed.ttftMs > 0) await clock.sleep(speed.ttftMs, signal);
      if (signal.aborted) {
        entry.keep();
        return { kind: 'aborted', usage: { ...NO_USAGE, ...entry.usage } };
      }
      const reply = replyTo(request, turn, script, digest);
      if (typeof reply === 'string') {
        const failure = failureOf('bad_request', { message: reply });
        return { kind: 'failed', failure, usage: NO_USAGE };
      }
      const planned = script.failure;
      const key = `${request.ownerId}\n${digest.toString('base64')}`;
      const failing = planned !== undefined && failures.isDue(planned, key) ? planned : undefined;
      if (failing?.afterTokens === 0) {
        return { kind: 'failed', failure: failureOf(failing.kind, failing), usage: NO_USAGE };
      }
      // The vendor has read the prompt by now: from here on the input is paid for.
      entry.keep();
      const limit = Math.min(maxTokens ?? Infinity, failing?.afterTokens ?? Infinity);
      const end = await speak(
        reply,
        { speed, limit, clock, signal },
        // A piece of a call is no text, but a sign of life.
        { begin() {}, piece: (part, delta) => onText(part.call ? '' : delta), end() {} },
      );
      const usage: Usage = { ...NO_USAGE, ...entry.usage, output: end.output };
      if (end.kind === 'aborted') return { kind: 'aborted', usage };
      const cut = end.kind === 'end' || end.output === failing?.afterTokens;
      if (failing !== undefined && cut) {
        return { kind: 'failed', failure: failureOf(failing.kind, failing), usage };
      }
      const finish = end.kind === 'limit' ? 'length' : 'stop';
      const { serviceTier } = request;
      const tier = serviceTier === undefined ? {} : { reportedTier: serviceTier };
      const answered = turn && { turn: turnAnswer(end, digest) };
      return { kind: 'completed', finish, usage, ...tier, ...answered };
    },
  };
}

/** What it says, or why it says nothing. */
function replyTo(
  request: ProviderRequest,
  turn: Conversation | undefined,
  script: Script,
  digest: Buffer,
): Segment[] | string {
  if (script.problem !== undefined) return script.problem;
  const seed = seedOf(request.model, digest);
  if (turn === undefined) {
    if (script.calls) return 'the job offers no tools to call; submit it with tools';
    return [{ kind: 'text', tokens: createAnswer(request, script, seed) }];
  }
  try {
    return planReply(turn, script, seed).segments;
  } catch (error) {
    if (error instanceof RefusedBody) return error.reason;
    throw error;
  }
}

/** How long its answer will be: the same as a call of it would bring, unless the script makes it fail. */
export function simulatedAnswerTokens(
  request: Pick<ProviderRequest, 'model' | 'prompt' | 'streamId'> & { maxTokens: number },
): number {
  const script = readScript(request.prompt, request.streamId);
  const next = createAnswer(request, script, seedOf(request.model, digestOf(request)));
  let tokens = 0;
  while (tokens < request.maxTokens && next() !== undefined) tokens += 1;
  return tokens;
}

function digestOf(request: Pick<ProviderRequest, 'streamId' | 'prompt'>): Buffer {
  return createHash('sha256').update(`${request.streamId}\n`).update(request.prompt).digest();
}

function seedOf(model: string, digest: Buffer): number {
  return createHash('sha256').update(digest).update(model).digest().readUInt32LE(0);
}
