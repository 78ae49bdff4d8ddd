// What a simulated model says to a conversation: calls of tools, a value for a schema, or a text.
import { createAnswer, type TokenSource } from '../answer.ts';
import { pieces } from '../pieces.ts';
import type { Script, ScriptedCall } from '../script-model.ts';
import { exchangeStart, RefusedBody } from './conversation.ts';
import type { Conversation, OfferedTool } from './conversation.ts';
import { valueFor } from './schema-value.ts';

export type Segment =
  | { kind: 'text'; tokens: TokenSource }
  | { kind: 'call'; name: string; isFreeText: boolean; tokens: TokenSource };

export interface Reply {
  segments: Segment[];
  finish: 'stop' | 'tool_calls';
  /** The sequence of the caller at which the text ends. */
  stopSequence?: string;
}

const MAX_NAMED = 20;

/** Throws `RefusedBody` where the script asks for what the request does not offer. */
export function planReply(asked: Conversation, script: Script, seed: number): Reply {
  const calls = dueCalls(asked, script);
  if (calls !== undefined) return { segments: calls, finish: 'tool_calls' };
  const answer = createAnswer(
    { model: asked.model, prompt: exchangeText(asked), streamId: 'call' },
    // An artifact is for Millrace to apply; other clients get one where a directive says so.
    { ...script, artifact: script.artifact === 'json' ? 'none' : script.artifact },
    seed,
  );
  const hasValue = asked.schema !== undefined && script.reply === undefined;
  const tokens = hasValue ? sourceOf(valueText(asked)) : answer;
  return cutAtStop(tokens, asked);
}

/** What the user said last: here the directives are read. */
export function exchangeText({ turns }: Conversation): string {
  return turns[exchangeStart(turns)]?.text ?? '';
}

function dueCalls(asked: Conversation, script: Script): Segment[] | undefined {
  const { tools, choice } = asked;
  if (script.calls !== undefined) {
    const due = nextCalls(asked, script.calls);
    if (due !== undefined && choice.kind === 'none') {
      throw new RefusedBody('Simulated failure: [[sim:call]] but tool_choice allows no call.');
    }
    return due?.map((call) => scriptedSegment(call, tools));
  }
  if (script.reply !== undefined || (choice.kind !== 'any' && choice.kind !== 'tool')) {
    return undefined;
  }
  const wanted = choice.kind === 'tool' ? choice.name : tools[0]?.name;
  const tool = tools.find(({ name }) => name === wanted);
  if (tool === undefined) {
    throw new RefusedBody('tool_choice asks for a tool that tools does not have.', 'tool_choice');
  }
  const value = tool.isFreeText ? { input: 'simulated' } : valueFor(tool.schema);
  return [segmentOf(tool, value as Record<string, unknown>)];
}

/** Calls that were made since the user spoke are done, however they were spread over turns. */
function nextCalls(
  { turns }: Conversation,
  scripted: readonly ScriptedCall[][],
): ScriptedCall[] | undefined {
  const exchange = turns.slice(exchangeStart(turns) + 1);
  let made = exchange.reduce((sum, { calls }) => sum + calls.length, 0);
  return scripted.find((calls) => {
    made -= calls.length;
    return made < 0;
  });
}

function scriptedSegment(call: ScriptedCall, tools: readonly OfferedTool[]): Segment {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool !== undefined) return segmentOf(tool, call.arguments);
  const names = tools.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = tools.length > MAX_NAMED ? ` and ${tools.length - MAX_NAMED} more` : '';
  const offered = names.length === 0 ? 'no tools' : `${names.join(', ')}${more}`;
  throw new RefusedBody(
    `Simulated failure: [[sim:call ${call.name}]] needs a tool of that name; the request offers ${offered}.`,
    'tools',
  );
}

function segmentOf({ name, isFreeText }: OfferedTool, given: Record<string, unknown>): Segment {
  const { input } = given;
  const isText = isFreeText && typeof input === 'string';
  const tokens = sourceOf(isText ? input : JSON.stringify(given));
  return { kind: 'call', name, isFreeText, tokens };
}

function valueText({ schema, isBare }: Conversation): string {
  const value = valueFor(schema);
  return isBare && typeof value === 'string' ? value : JSON.stringify(value);
}

/** The whole text is needed to find a sequence in it: it may begin in one token and end in another. */
function cutAtStop(tokens: TokenSource, { stops, maxTokens }: Conversation): Reply {
  if (stops.length === 0) return { segments: [{ kind: 'text', tokens }], finish: 'stop' };
  // One token more than fits: without it an answer that is cut looks like one that ended.
  const all: string[] = [];
  for (let token = tokens(); token !== undefined; token = tokens()) {
    all.push(token);
    if (all.length > (maxTokens ?? Infinity)) break;
  }
  const text = all.slice(0, maxTokens).join('');
  let end = text.length;
  let stopSequence: string | undefined;
  for (const stop of stops) {
    const at = text.indexOf(stop);
    if (at >= 0 && at < end) {
      end = at;
      stopSequence = stop;
    }
  }
  const said = stopSequence === undefined ? all.values() : pieces(text.slice(0, end));
  return {
    segments: [{ kind: 'text', tokens: next(said) }],
    finish: 'stop',
    ...(stopSequence !== undefined && { stopSequence }),
  };
}

const sourceOf = (text: string) => next(pieces(text));

function next(iterator: Iterator<string>): TokenSource {
  return () => {
    const { done, value } = iterator.next();
    return done === true ? undefined : value;
  };
}
