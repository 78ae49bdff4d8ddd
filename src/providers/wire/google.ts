// Google's generateContent: each event has the shape of a whole answer, with what is new in it.
import type { Finish, ToolCall, WireUsage } from './answer.ts';
import type { ProtocolReader } from './create-reader.ts';
import { readError, unreadable } from './error.ts';
import {
  append,
  countOf,
  fieldsOf,
  isCount,
  jsonOf,
  listOf,
  textOf,
  type Fields,
} from './fields.ts';
import type { Recorder } from './recorder.ts';
import { readTier } from './tier.ts';

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  // The longest answer to one request: there would be more, to another one.
  ['CONTINUATION', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
]);

const NOT_BLOCKED = 'BLOCK_REASON_UNSPECIFIED';

/** Figures that are zero are left out. */
const isCountOrAbsent = (value: unknown): boolean => value == null || isCount(value);

/** Undefined without the input: nothing can be said then. */
function usageOf(usage: Fields): WireUsage | undefined {
  const { promptTokenCount: prompt, candidatesTokenCount, thoughtsTokenCount } = usage;
  if (!isCount(prompt)) return undefined;
  const input = prompt + countOf(usage['toolUsePromptTokenCount']);
  const reasoning = countOf(thoughtsTokenCount);
  return {
    input,
    output: countOf(candidatesTokenCount) + reasoning,
    cacheRead: Math.min(input, countOf(usage['cachedContentTokenCount'])),
    cacheWrite: 0,
    ...(reasoning > 0 && { reasoning }),
  };
}

function makesSense({ input, output }: WireUsage, usage: Fields): boolean {
  const parts = ['candidatesTokenCount', 'thoughtsTokenCount', 'toolUsePromptTokenCount'];
  return isCount(input) && isCount(output) && parts.every((name) => isCountOrAbsent(usage[name]));
}

export function readGoogle(recorder: Recorder): ProtocolReader {
  const { answer } = recorder;
  /** A call whose arguments come in pieces, without a name from the second piece on. */
  let openCall: ToolCall | undefined;
  let lastUsage: WireUsage | undefined;
  let isBlocked = false;
  /** A text without a signature: what comes after it is part of it. */
  let openText: Fields | undefined;
  const begun = new Set<unknown>();
  const ended = new Set<unknown>();

  function write(value: unknown): string {
    const text = jsonOf(value);
    if (text === undefined) recorder.fail(unreadable('the arguments of a call are too deep'));
    return text ?? '';
  }

  function startCall(id: unknown, name: string, given: unknown): ToolCall {
    const own = textOf(id);
    return recorder.startCall({
      id: own ?? `call_${answer.toolCalls.length}`,
      name,
      arguments: given == null ? '' : write(given),
      ...(own === undefined && { isCounted: true }),
    });
  }

  function takeCall(call: Fields): void {
    const name = textOf(call['name']);
    const { args, partialArgs } = call;
    const pieces = listOf(partialArgs);
    const willContinue = call['willContinue'] === true;
    if (name !== undefined) {
      const isWhole = !willContinue && pieces.length === 0;
      openCall = startCall(call['id'], name, args ?? (isWhole ? {} : undefined));
    }
    // Each is a path into the arguments and its value: kept as they come, one after the other.
    if (openCall && pieces.length > 0) recorder.addToCall(openCall, write(pieces));
    if (!willContinue && pieces.length === 0) openCall = undefined;
  }

  /** Texts with a signature stay apart from others: the signature is of that text alone. */
  function keep(part: Fields): void {
    const isText = textOf(part['text']) !== undefined && part['thoughtSignature'] === undefined;
    if (isText && openText !== undefined && openText['thought'] === part['thought']) {
      return append(openText, 'text', part['text']);
    }
    const block = recorder.block(part);
    openText = isText ? block : undefined;
  }

  function takePart(part: Fields): void {
    keep(part);
    const text = textOf(part['text']);
    if (text !== undefined) {
      if (part['thought'] === true) recorder.thought(text);
      else recorder.text(text);
      return;
    }
    const call = fieldsOf(part['functionCall']);
    if (call !== undefined) return takeCall(call);
    // What the vendor runs itself.
    const code = fieldsOf(part['executableCode']);
    if (code !== undefined) startCall(code['id'], 'code_execution', code);
    const own = fieldsOf(part['toolCall']);
    if (own !== undefined) startCall(own['id'], textOf(own['toolType']) ?? 'tool', own['args']);
    if (part['inlineData'] !== undefined) answer.began = true;
  }

  function takeCandidate(candidate: Fields): void {
    const index = candidate['index'] ?? 0;
    begun.add(index);
    const { parts } = fieldsOf(candidate['content']) ?? {};
    if (parts !== undefined) for (const part of listOf(parts)) takePart(fieldsOf(part) ?? {});
    const reason = textOf(candidate['finishReason']);
    if (reason === undefined) return;
    ended.add(index);
    const finish = FINISHES.get(reason) ?? 'other';
    recorder.finish(
      finish === 'stop' && answer.toolCalls.length > 0 ? 'tool_calls' : finish,
      reason,
    );
  }

  function takeUsage(usage: Fields): void {
    const soFar = usageOf(usage);
    answer.partial = soFar ?? answer.partial;
    lastUsage = soFar && makesSense(soFar, usage) ? soFar : undefined;
    answer.tier = readTier(usage['serviceTier']) ?? answer.tier;
  }

  function take(event: Fields): void {
    const { candidates } = event;
    if (event['error'] != null) recorder.fail(readError(event['error']));
    recorder.model(event['modelVersion']);
    if (Array.isArray(candidates)) {
      for (const candidate of candidates) takeCandidate(fieldsOf(candidate) ?? {});
    } else if (candidates != null) {
      recorder.fail(unreadable('the candidates of the answer are no list'));
    }
    const reason = textOf(fieldsOf(event['promptFeedback'])?.['blockReason']);
    if (reason !== undefined && reason !== NOT_BLOCKED) {
      isBlocked = true;
      recorder.finish('content_filter', reason);
    }
    const usage = fieldsOf(event['usageMetadata']);
    if (usage !== undefined) takeUsage(usage);
    // With several candidates, each of them ends.
    if (answer.finish === undefined || (ended.size < begun.size && !isBlocked)) return;
    answer.usage = final(lastUsage);
    recorder.complete();
  }

  /** A caller can have figures left out of the answer: nothing is no count of what was said. */
  function final(usage: WireUsage | undefined): WireUsage | undefined {
    const hasOutput = answer.text !== '' || answer.thought !== '' || answer.toolCalls.length > 0;
    return usage?.output === 0 && hasOutput ? undefined : usage;
  }

  return { event: take, whole: take };
}
