// What is said in a conversation. Apart from its schemas: pages use this, and browsers get no checks of the server.
import type { Message, ToolCall } from './conversation-api.ts';

/** What a model wrote as arguments, as text again. */
export function argumentsTextOf(call: ToolCall): string {
  return call.arguments === null ? (call.argumentsText ?? '') : JSON.stringify(call.arguments);
}

export function lastUserText(messages: readonly Message[]): string | undefined {
  const last = messages.findLast(({ role }) => role === 'user');
  return last?.role === 'user' ? last.text : undefined;
}
