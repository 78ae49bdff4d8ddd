// The calls of one answer, made one after the other in the copy.
import type { Message, ToolCall } from '../../contract/conversation-api.ts';
import { argumentsTextOf } from '../../contract/conversation-texts.ts';
import { AFTER_DONE } from '../../domain/prompt/loop-text.ts';
import type { AgentEvents } from '../agent-events.ts';
import { failed } from './tool.ts';
import type { ToolResult, ToolWorld } from './tool.ts';
import { TOOLS, toolNamed } from './tools.ts';
import { watchCall } from './watch-turns.ts';
import type { LoopState } from './watch-turns.ts';

/** One answer that asks for more is no plan. */
const MAX_CALLS = 40;
/** What one turn shows at most, so that the last turns always fit into the model's window. */
const MAX_SHOWN = 64 * 1024;

const TOO_MANY = `This call was not made: ${MAX_CALLS} calls are the most in one turn.`;
const TOO_MUCH =
  'This call was not made: the calls before it showed enough for one turn. Make it again.';

export interface MadeCalls {
  results: Message[];
  hasChanged: boolean;
  done?: string;
  /** The end of the attempt. */
  error?: string;
}

async function makeCall(call: ToolCall, world: ToolWorld): Promise<ToolResult> {
  const tool = toolNamed(call.name);
  if (tool === undefined) {
    const names = TOOLS.map(({ spec }) => spec.name).join(', ');
    return failed(`There is no tool "${call.name.slice(0, 100)}". The tools are: ${names}.`);
  }
  if (call.arguments === null) return failed('The arguments are not a JSON object.');
  return tool.run(call.arguments, world);
}

export async function makeCalls(
  calls: readonly ToolCall[],
  {
    world,
    state,
    events,
    signal,
  }: { world: ToolWorld; state: LoopState; events: AgentEvents; signal: AbortSignal },
): Promise<MadeCalls> {
  const made: MadeCalls = { results: [], hasChanged: false };
  const answer = (call: ToolCall, { text, isError }: ToolResult) =>
    made.results.push({ role: 'tool', callId: call.id, text, ...(isError && { isError }) });
  let shown = 0;
  for (const [at, call] of calls.entries()) {
    if (signal.aborted) break;
    if (made.done !== undefined) {
      answer(call, failed(AFTER_DONE));
      continue;
    }
    if (at >= MAX_CALLS || shown >= MAX_SHOWN) {
      answer(call, failed(at >= MAX_CALLS ? TOO_MANY : TOO_MUCH));
      continue;
    }
    const watch = watchCall(state, `${call.name} ${argumentsTextOf(call)}`);
    if (watch.kind === 'end') {
      made.error = watch.error;
      break;
    }
    const since = performance.now();
    const result = await makeCall(call, world);
    const argument = toolNamed(call.name)?.argument(call.arguments) ?? '';
    const durationMs = Math.round(performance.now() - since);
    events.tool({ name: call.name, argument, durationMs });
    const text = watch.kind === 'warn' ? `${result.text}\n${watch.text}` : result.text;
    answer(call, { ...result, text });
    shown += text.length;
    // What follows a change is not the same call, even if it reads like it.
    if (result.changed) {
      made.hasChanged = true;
      state.sameCalls = 0;
    }
    if (result.done !== undefined) made.done = result.done;
  }
  return made;
}

/**
 * In a copy that was made anew: what was done to the one before is done again. The model has seen what came of it; the files
 * that would say something else now are returned.
 */
export async function repeatEffects(
  messages: readonly Message[],
  world: ToolWorld,
  signal: AbortSignal,
): Promise<string[]> {
  const calls = new Map<string, ToolCall>();
  const changed = new Set<string>();
  for (const message of messages) {
    if (signal.aborted) break;
    if (message.role === 'assistant') {
      for (const call of message.toolCalls ?? []) calls.set(call.id, call);
    }
    const call = message.role === 'tool' ? calls.get(message.callId) : undefined;
    const tool = call && toolNamed(call.name);
    if (message.role !== 'tool' || call === undefined || tool?.hasEffects !== true) continue;
    // Nothing came of it then either.
    if (message.isError || call.arguments === null) continue;
    const { isError } = await tool.run(call.arguments, { ...world, onRefused: () => {} });
    if (isError) changed.add(tool.argument(call.arguments));
  }
  return [...changed];
}
