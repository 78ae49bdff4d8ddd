// A conversation as it is stored with its job: what the caller submitted, and nothing twice.
import type { Conversation, Message, ToolSpec } from '../../contract/conversation-api.ts';
import { utf8Length } from '../artifact/utf8-length.ts';
import { argumentsTextOf } from '../../contract/conversation-texts.ts';

interface Submitted {
  messages?: readonly Message[] | undefined;
  tools?: readonly ToolSpec[] | undefined;
}

/** JSON text, or nothing for a job that is one text. */
export function writeConversation({ messages, tools }: Submitted): string | undefined {
  if (messages === undefined && tools === undefined) return undefined;
  return JSON.stringify({ messages, tools });
}

/** `json`: as it is stored. Tools without messages are offered with the prompt. */
export function readConversation(json: string, prompt: string): Conversation {
  const { messages, tools } = JSON.parse(json) as Submitted;
  return { messages: messages ?? [{ role: 'user', text: prompt }], tools: tools ?? [] };
}

/** Everything that is read by the model, for counting. */
export function* textsOf({ messages, tools }: Conversation): Generator<string> {
  if (tools.length > 0) yield JSON.stringify(tools);
  for (const message of messages) {
    if (message.role !== 'assistant') {
      yield message.text;
      continue;
    }
    const { text = '', toolCalls = [], opaque } = message;
    const neutral = [
      text,
      ...toolCalls.flatMap((call) => [call.id, call.name, argumentsTextOf(call)]),
    ];
    // One of the two is sent. What is sealed in blocks counts as the tokens that it was made of, which are fewer.
    const plain = neutral.join('\n');
    const own = opaque === undefined ? '' : JSON.stringify(opaque.blocks);
    yield utf8Length(own) > utf8Length(plain) ? own : plain;
  }
}
