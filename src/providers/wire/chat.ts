// Chat completions, as OpenAI, OpenRouter and most servers of one's own send them.
import type { Finish, ToolCall, WireUsage } from './answer.ts';
import type { ProtocolReader } from './create-reader.ts';
import { readError, unreadable } from './error.ts';
import { append, countOf, fieldsOf, isCount, listOf, textOf, type Fields } from './fields.ts';
import type { Recorder } from './recorder.ts';
import { readTier } from './tier.ts';

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  // Mistral's word for a context that is full.
  ['model_length', 'length'],
  ['content_filter', 'content_filter'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
]);

function usageOf(usage: Fields): WireUsage | undefined {
  const { prompt_tokens: input, completion_tokens: output } = usage;
  if (!isCount(input) || !isCount(output)) return undefined;
  const inputs = fieldsOf(usage['prompt_tokens_details']);
  const cacheRead = Math.min(input, countOf(inputs?.['cached_tokens']));
  const reasoning = fieldsOf(usage['completion_tokens_details'])?.['reasoning_tokens'];
  return {
    input,
    output,
    cacheRead,
    cacheWrite: Math.min(input - cacheRead, countOf(inputs?.['cache_write_tokens'])),
    ...(isCount(reasoning) && { reasoning }),
  };
}

/** One text, or several parts with a text each. */
function joined(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => textOf(fieldsOf(part)?.['text']) ?? '')
    .join('');
}

/** Servers have several names for it; OpenRouter sends the same text by two of them. */
function thoughtOf(delta: Fields): string {
  const plain = textOf(delta['reasoning_content']) ?? textOf(delta['reasoning']);
  if (plain !== undefined) return plain;
  const details = delta['reasoning_details'];
  if (details === undefined) return '';
  return listOf(details)
    .map((each) => fieldsOf(each))
    .map((each) => textOf(each?.['text']) ?? textOf(each?.['summary']) ?? '')
    .join('');
}

const MOST_DETAILS = 10_000;

/** Pieces of one thought have its index, where the server counts them. */
function continues(last: Fields | undefined, piece: Fields): last is Fields {
  if (last === undefined || last['type'] !== piece['type']) return false;
  if (last['index'] !== piece['index'] && last['index'] != null && piece['index'] != null)
    return false;
  // What is sealed comes whole, and a signature is the end of a thought.
  return piece['type'] !== 'reasoning.encrypted' && last['signature'] == null;
}

function addDetail(details: Fields[], piece: Fields): void {
  const last = details.at(-1);
  if (!continues(last, piece)) {
    if (details.length < MOST_DETAILS) details.push({ ...piece });
    return;
  }
  for (const [name, value] of Object.entries(piece)) {
    if (name === 'text' || name === 'summary') append(last, name, value);
    else if (value != null) last[name] = value;
  }
}

export function readChat(recorder: Recorder): ProtocolReader {
  const { answer } = recorder;
  const calls = new Map<unknown, ToolCall>();
  /** Of several answers to one question, those that have begun and those that have ended. */
  const begun = new Set<unknown>();
  const ended = new Set<unknown>();
  let kept: Fields | undefined;
  let lastCall: ToolCall | undefined;
  let lastUsage: WireUsage | undefined;
  let hasRefused = false;

  function takeCall(choice: unknown, fields: Fields): void {
    // Custom tools take a text, which has another name.
    const inner = fieldsOf(fields['function']) ?? fieldsOf(fields['custom']) ?? {};
    const piece = textOf(inner['arguments']) ?? textOf(inner['input']) ?? '';
    const id = textOf(fields['id']);
    const name = textOf(inner['name']);
    const { index } = fields;
    const place = `${String(choice)} ${String(typeof index === 'number' ? index : id)}`;
    const isPlaced = typeof index === 'number' || id !== undefined;
    const known = isPlaced ? calls.get(place) : lastCall;
    // Some servers count every call of an answer as the first.
    const isOther = known !== undefined && id !== undefined && known.id !== id;
    if (known === undefined || (isOther && name !== undefined)) {
      lastCall = recorder.startCall({
        id: id ?? `call_${answer.toolCalls.length}`,
        name: name ?? '',
        arguments: piece,
        ...(id === undefined && { isCounted: true }),
      });
      calls.set(place, lastCall);
      return;
    }
    lastCall = known;
    known.name ||= name ?? '';
    recorder.addToCall(known, piece);
  }

  /** The form before `tool_calls`. */
  function takeFunctionCall(choice: unknown, fields: Fields): void {
    takeCall(choice, { id: textOf(fields['id']) ?? 'function_call', function: fields });
  }

  function takeDelta(choice: unknown, delta: Fields): void {
    const { content, refusal } = delta;
    recorder.thought(thoughtOf(delta));
    keepThought(delta);
    if (typeof content === 'string') recorder.text(content);
    else if (content != null) takeParts(content);
    if (textOf(refusal) !== undefined) {
      hasRefused = true;
      recorder.text(refusal as string);
    }
    if (delta['tool_calls'] != null) {
      for (const call of listOf(delta['tool_calls'])) takeCall(choice, fieldsOf(call) ?? {});
    }
    const called = fieldsOf(delta['function_call']);
    if (called !== undefined) takeFunctionCall(choice, called);
  }

  /** All of an answer that is not text and calls: some servers want it back, under the name that they gave it. */
  function keepThought(delta: Fields): void {
    for (const name of ['reasoning_content', 'reasoning'] as const) {
      if (textOf(delta[name]) === undefined) continue;
      kept ??= recorder.block({});
      if (kept) append(kept, name, delta[name]);
    }
    for (const each of listOf(delta['reasoning_details'])) {
      const piece = fieldsOf(each);
      kept ??= recorder.block({});
      if (kept && piece) addDetail((kept['reasoning_details'] ??= []) as Fields[], piece);
    }
  }

  /** As Mistral sends them. */
  function takeParts(content: unknown): void {
    for (const part of listOf(content)) {
      const fields = fieldsOf(part);
      if (fields?.['type'] === 'thinking') recorder.thought(joined(fields['thinking']));
      else recorder.text(textOf(fields?.['text']) ?? '');
    }
  }

  function takeChoice(choice: Fields): void {
    const index = choice['index'] ?? 0;
    begun.add(index);
    const delta = fieldsOf(choice['delta']) ?? fieldsOf(choice['message']);
    if (delta !== undefined) takeDelta(index, delta);
    if (choice['error'] != null) recorder.fail(readError(choice['error']));
    const reason = textOf(choice['finish_reason']);
    if (reason === undefined) return;
    ended.add(index);
    const finish = FINISHES.get(reason) ?? 'other';
    recorder.finish(finish === 'stop' && hasRefused ? 'content_filter' : finish, reason);
  }

  function takeUsage(usage: Fields | undefined): void {
    const cost = usage?.['cost'];
    if (typeof cost === 'number' && cost >= 0) answer.costUsd = cost;
    lastUsage = usage && usageOf(usage);
    // Some servers send a running total with every event.
    answer.partial = lastUsage ?? answer.partial;
  }

  function take(event: Fields): void {
    const { choices, usage } = event;
    if (event['error'] != null || event['object'] === 'error') {
      recorder.fail(readError(event['error'] ?? event));
    }
    recorder.model(event['model']);
    if (event['service_tier'] != null) {
      answer.tier = readTier(event['service_tier']) ?? answer.tier;
    }
    if (Array.isArray(choices)) {
      for (const choice of choices) takeChoice(fieldsOf(choice) ?? {});
    } else if (choices != null) {
      recorder.fail(unreadable('the choices of the answer are no list'));
    }
    if (usage != null) takeUsage(fieldsOf(usage));
    if (answer.finish === undefined || ended.size < begun.size) return;
    answer.usage = lastUsage;
    // Not every server says in a word of its own that it is over.
    recorder.complete();
  }

  return { event: take, whole: take };
}
