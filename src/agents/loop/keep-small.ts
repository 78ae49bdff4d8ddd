// A conversation is sent whole with every turn, and what vendors keep of it in their caches is its beginning: so it only
// grows. When it has come to a bound, what tools showed earlier is taken out in one step, down to well below the bound.
import { estimateTokenCount } from 'tokenx';
import type { Message, ToolCall } from '../../contract/conversation-api.ts';
import { argumentsTextOf } from '../../contract/conversation-texts.ts';
import { takenOut } from '../../domain/prompt/loop-text.ts';

/** After a step, what is left of the bound. */
const KEPT_SHARE = 0.5;
/** What the model is working with at the moment. */
const KEPT_MESSAGES = 6;
const MAX_ARGUMENTS = 300;

function tokensOf(message: Message): number {
  if (message.role !== 'assistant') return estimateTokenCount(message.text);
  const { text = '', toolCalls = [], opaque } = message;
  const calls = toolCalls.map((call) => estimateTokenCount(argumentsTextOf(call)));
  const own = opaque === undefined ? 0 : estimateTokenCount(JSON.stringify(opaque.blocks));
  const plain = calls.reduce((sum, one) => sum + one, estimateTokenCount(text));
  return Math.max(own, plain);
}

function lineFor(call: ToolCall | undefined): string {
  if (call === undefined) return takenOut('the tool');
  return takenOut(`${call.name} ${argumentsTextOf(call).slice(0, MAX_ARGUMENTS)}`);
}

/** True when something was taken out. */
export function keepSmall(messages: Message[], maxTokens: number): boolean {
  let tokens = messages.reduce((sum, message) => sum + tokensOf(message), 0);
  if (tokens <= maxTokens) return false;
  const calls = new Map<string, ToolCall>();
  let isChanged = false;
  for (const [at, message] of messages.slice(0, -KEPT_MESSAGES).entries()) {
    if (message.role === 'assistant') {
      for (const call of message.toolCalls ?? []) calls.set(call.id, call);
    }
    if (message.role !== 'tool') continue;
    const line = lineFor(calls.get(message.callId));
    const saved = tokensOf(message) - estimateTokenCount(line);
    if (saved <= 0) continue;
    messages[at] = { ...message, text: line };
    tokens -= saved;
    isChanged = true;
    if (tokens <= maxTokens * KEPT_SHARE) break;
  }
  return isChanged;
}
