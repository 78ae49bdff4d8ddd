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
import { streamTokens } from './stream-tokens.ts';

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
      const script = readScript(request.prompt, request.streamId);
      const speed = scriptedSpeed(request.model, script, options.paceMs);
      const digest = digestOf(request);
      const entry = cache.enter({ ...request, pieces: piecesOf(request) });
      if (script.hang === true) await aborted(signal);
      else if (speed.ttftMs > 0) await clock.sleep(speed.ttftMs, signal);
      if (signal.aborted) {
        entry.keep();
        return { kind: 'aborted', usage: { ...NO_USAGE, ...entry.usage } };
      }
      const problem = script.problem ?? (script.calls && 'a job offers no tools to call');
      if (problem !== undefined) {
        const failure = failureOf('bad_request', { message: problem });
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
      const end = await streamTokens({
        tokens: createAnswer(request, script, seedOf(request.model, digest)),
        speed,
        limit: Math.min(request.maxTokens ?? Infinity, failing?.afterTokens ?? Infinity),
        clock,
        signal,
        onText: (delta) => onText(delta),
      });
      const usage: Usage = { ...NO_USAGE, ...entry.usage, output: end.output };
      if (end.kind === 'aborted') return { kind: 'aborted', usage };
      const cut = end.kind === 'end' || end.output === failing?.afterTokens;
      if (failing !== undefined && cut) {
        return { kind: 'failed', failure: failureOf(failing.kind, failing), usage };
      }
      const finish = end.kind === 'limit' ? 'length' : 'stop';
      const { serviceTier } = request;
      const tier = serviceTier === undefined ? {} : { reportedTier: serviceTier };
      return { kind: 'completed', finish, usage, ...tier };
    },
  };
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
