// A conversation in the form of chat completions.
import type {
  AssistantMessage,
  Conversation,
  Message,
} from '../../../contract/conversation-api.ts';
import type { Fields } from '../../wire/fields.ts';
import { callInput, callName, createCallIds } from './call-ids.ts';
import { ownBlocks } from './own-blocks.ts';
import type { Answerer } from './own-blocks.ts';
import { schemaOf } from './tool-schema.ts';

const CACHED = { cache_control: { type: 'ephemeral' } };

/** OpenRouter hands marks on to Anthropic; other models cache what they know unasked. */
const takesMarks = ({ provider, model }: Answerer) =>
  provider === 'openrouter' && /^~?anthropic\//.test(model);

/** Details hold all that the two plain texts say. */
function thoughtsOf(own: readonly Fields[] | undefined): Fields {
  const [thoughts = {}] = own ?? [];
  const { reasoning_details: details } = thoughts;
  return details === undefined ? thoughts : { reasoning_details: details };
}

function assistant(
  { text = '', toolCalls = [] }: AssistantMessage,
  own: readonly Fields[] | undefined,
  ids: ReadonlyMap<string, string>,
) {
  const calls = toolCalls.map((call) => ({
    id: ids.get(call.id),
    type: 'function',
    function: { name: callName(call), arguments: JSON.stringify(callInput(call)) },
  }));
  if (text === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...thoughtsOf(own),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

/** There is no field for it: without a word, a failure looks like a result. */
export function resultText({ text, isError }: Extract<Message, { role: 'tool' }>): string {
  return isError === true && !/^\s*error\b/i.test(text) ? `Error: ${text}` : text;
}

const markedText = (text: string) => [{ type: 'text', text, ...CACHED }];

/** Where the next turn finds what it has in common with this one: see `markEnds` of Anthropic's form. */
function endsOf(messages: readonly Message[]): ReadonlySet<number> {
  const ends = messages.flatMap(({ role }, index) => {
    const isEnd = index === messages.length - 1 || messages[index + 1]?.role === 'assistant';
    return isEnd && role !== 'assistant' ? [index] : [];
  });
  return new Set([...(messages[0]?.role === 'system' ? [0] : []), ...ends.slice(-2)]);
}

export function chatTurn({ messages, tools }: Conversation, to: Answerer) {
  const callIds = createCallIds();
  const marked = takesMarks(to) ? endsOf(messages) : new Set<number>();
  let ids: ReadonlyMap<string, string> = new Map();
  const said = messages.flatMap((message, index): object[] => {
    const isMarked = marked.has(index);
    switch (message.role) {
      case 'system':
      case 'user': {
        const { role, text } = message;
        return [{ role, content: isMarked ? markedText(text) : text }];
      }
      case 'tool': {
        const call = { role: 'tool', tool_call_id: ids.get(message.callId) };
        // Servers take a text here and nothing else.
        return [{ ...call, content: resultText(message), ...(isMarked && CACHED) }];
      }
      case 'assistant': {
        const own = ownBlocks(message, to);
        ids = callIds.next(message.toolCalls ?? [], false);
        return assistant(message, own, ids);
      }
    }
  });
  const offered = tools.map((tool) => ({
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: schemaOf(tool) },
  }));
  return { ...(offered.length > 0 && { tools: offered }), messages: said };
}
