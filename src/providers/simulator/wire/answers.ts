// One reply as the bytes of an answer: at once or as a stream, to its end or to the failure that the script plans.
import type { UpstreamAnswer } from '../../upstream.ts';
import { FAILURES } from '../failures.ts';
import type { ScriptedFailure } from '../script-model.ts';
import type { Dialect } from './dialect.ts';
import type { AnswerForm } from './answer-form.ts';
import { createByteQueue } from './byte-queue.ts';
import type { Reply } from './reply.ts';
import { speak } from './speak.ts';
import type { Speaking, Spoken } from './speak.ts';
import { isReported, wireFailure } from './wire-failures.ts';
import type { ReplyEnd, Writer } from './writer.ts';

export interface Answering {
  dialect: Dialect;
  form: AnswerForm;
  writer: Writer;
  reply: Reply;
  failure: ScriptedFailure | undefined;
  how: Speaking;
}

export function answerStream(answering: Answering): UpstreamAnswer {
  const { form, writer, reply, how } = answering;
  const queue = createByteQueue();
  const stopped = new AbortController();
  const signal = AbortSignal.any([how.signal, stopped.signal]);
  queue.write(writer.open());
  void speak(
    reply.segments,
    { ...how, signal },
    {
      begin: (part) => queue.write(writer.begin(part)),
      piece: (part, delta, output) => queue.write(writer.piece(part, delta, output)),
      end: (part) => queue.write(writer.end(part)),
    },
  ).then(
    (spoken) => {
      if (spoken.kind === 'aborted') return queue.fail(signal.reason);
      const failing = failureAt(answering, spoken);
      if (failing !== undefined && failing.kind !== 'refused') {
        return breakOff(answering, failing, queue);
      }
      if (spoken.open !== undefined) queue.write(writer.end(spoken.open));
      queue.write(writer.close(endOf(answering, spoken), spoken.parts));
      return queue.end();
    },
    (error: unknown) => queue.fail(error),
  );
  return form.stream(queue.read(() => stopped.abort()));
}

export async function answerWhole(answering: Answering): Promise<UpstreamAnswer> {
  const { dialect, form, writer, reply, how } = answering;
  const spoken = await speak(reply.segments, how, { begin() {}, piece() {}, end() {} });
  how.signal.throwIfAborted();
  const failing = failureAt(answering, spoken);
  const body = writer.whole(endOf(answering, spoken), spoken.parts);
  if (failing === undefined || failing.kind === 'refused') return form.json(body);
  if (isReported(failing.kind)) return form.refusal(wireFailure(dialect, failing.kind, failing));
  const half = JSON.stringify(body);
  const queue = createByteQueue();
  queue.write(half.slice(0, half.length / 2));
  if (failing.kind === 'network') queue.fail(brokenConnection());
  else queue.end();
  return form.brokenJson(queue.read(() => {}));
}

/** A connection that went away, as Node reports it. */
export function brokenConnection(): Error {
  const { message } = FAILURES.network;
  return Object.assign(new Error(`Simulated failure: ${message}`), { code: 'ECONNRESET' });
}

/** The failure whose place the answer has reached, or its own end before that. */
function failureAt(
  { failure }: Pick<Answering, 'failure'>,
  spoken: Spoken,
): ScriptedFailure | undefined {
  const isThere = spoken.kind === 'end' || spoken.output === failure?.afterTokens;
  return isThere ? failure : undefined;
}

function breakOff(
  { dialect, writer }: Answering,
  failing: ScriptedFailure,
  queue: ReturnType<typeof createByteQueue>,
): void {
  const { kind } = failing;
  if (kind === 'network') return queue.fail(brokenConnection());
  if (isReported(kind)) queue.write(writer.failure(wireFailure(dialect, kind, failing)));
  else if (kind === 'protocol') queue.write('data: {"unreadable\n\n');
  return queue.end();
}

function endOf(answering: Answering, spoken: Spoken): ReplyEnd {
  const { reply } = answering;
  const { output } = spoken;
  if (failureAt(answering, spoken)?.kind === 'refused')
    return { finish: 'content_filter', stopSequence: undefined, output };
  if (spoken.kind === 'limit') return { finish: 'length', stopSequence: undefined, output };
  const { stopSequence } = reply;
  const finish = stopSequence === undefined ? reply.finish : 'stop_sequence';
  return { finish, stopSequence, output };
}
