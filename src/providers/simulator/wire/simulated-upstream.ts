// The simulator as the vendors' servers: it reads and answers requests of their own clients, in each of their
// protocols. Jobs get the same texts without the bytes around them (`../simulator.ts`).
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '../../upstream.ts';
import type { Protocol } from '../../wire/protocol.ts';
import { aborted, createRealClock } from '../clock.ts';
import { createDueFailures } from '../due-failures.ts';
import { createPrefixCache } from '../prefix-cache.ts';
import { readScript } from '../script.ts';
import type { SimulatorOptions } from '../simulator.ts';
import { scriptedSpeed } from '../speed.ts';
import { createAnswerForm } from './answer-form.ts';
import { dialectOf } from './dialect.ts';
import type { AnswerForm } from './answer-form.ts';
import { answerStream, answerWhole, brokenConnection } from './answers.ts';
import { digestOf, piecesOf } from './conversation-pieces.ts';
import { RefusedBody } from './conversation.ts';
import type { Conversation } from './conversation.ts';
import { createWriter } from './create-writer.ts';
import { record } from './loose-json.ts';
import { modelList } from './model-lists.ts';
import { readRequest } from './read-request.ts';
import { exchangeText, planReply } from './reply.ts';
import { isReported, wireFailure } from './wire-failures.ts';

export function createSimulatedUpstream(options: SimulatorOptions = {}): Upstream {
  const clock = options.clock ?? createRealClock();
  const cache = createPrefixCache({ now: () => clock.now() });
  const failures = createDueFailures();

  async function generate(
    request: UpstreamRequest,
    asked: Conversation,
    form: AnswerForm,
  ): Promise<UpstreamAnswer> {
    const { ownerId, signal } = request;
    const dialect = dialectOf(request);
    const { model } = asked;
    const digest = digestOf(asked);
    const script = readScript(exchangeText(asked));
    const speed = scriptedSpeed(model, script, options.paceMs);
    const entry = cache.enter({ ownerId, model, pieces: piecesOf(asked) });
    if (script.hang === true) await aborted(signal);
    else if (speed.ttftMs > 0) await clock.sleep(speed.ttftMs, signal);
    signal.throwIfAborted();
    if (script.problem !== undefined) throw new RefusedBody(`Simulated failure: ${script.problem}`);
    const reply = planReply(asked, script, digest.readUInt32LE(0));
    const planned = script.failure;
    const key = `${ownerId}\n${digest.toString('base64')}`;
    const failure = planned !== undefined && failures.isDue(planned, key) ? planned : undefined;
    if (failure?.afterTokens === 0) {
      if (failure.kind === 'network') throw brokenConnection();
      if (isReported(failure.kind)) {
        return form.refusal(wireFailure(dialect, failure.kind, failure));
      }
    }
    // The vendor has read the prompt by now: from here on the input is paid for.
    entry.keep();
    const limit = Math.min(asked.maxTokens ?? Infinity, failure?.afterTokens ?? Infinity);
    const head = {
      id: form.id,
      model,
      created: Math.floor(Date.now() / 1000),
      asked: record(request.readBody()),
      ...entry.usage,
    };
    const writer = createWriter(dialect, head, form.isSse);
    const how = { speed, limit, clock, signal };
    const answering = { dialect, form, writer, reply, failure, how };
    return isStreamed(request) ? answerStream(answering) : answerWhole(answering);
  }

  return {
    async send(request) {
      const { protocol, operation, model, signal } = request;
      signal.throwIfAborted();
      const dialect = dialectOf(request);
      const form = createAnswerForm(request, isStreamed(request));
      if (operation === 'models') return form.json(modelList(dialect));
      const isCount = operation === 'count';
      try {
        const asked = readRequest(protocol, request.readBody(), { model, isCount });
        if (isCount) return form.json(countBody(protocol, inputOf(asked)));
        return await generate(request, asked, form);
      } catch (error) {
        if (!(error instanceof RefusedBody)) throw error;
        const { message, field } = error;
        return form.refusal(wireFailure(dialect, 'bad_request', { message, field }));
      }
    },
  };
}

/** Google's streams have an address of their own; the caller may count those alone as streams that are events. */
function isStreamed({ protocol, path, isStream }: UpstreamRequest): boolean {
  return isStream || (protocol === 'google' && path.includes(':streamGenerateContent'));
}

function inputOf(asked: Conversation): number {
  const none = createPrefixCache({ now: () => 0 });
  return none.enter({ ownerId: '', model: '', pieces: piecesOf(asked) }).usage.input;
}

function countBody(protocol: Protocol, input: number): object {
  if (protocol === 'anthropic') return { input_tokens: input };
  return { totalTokens: input, promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }] };
}
