// A conversation in the form of Anthropic's messages: two sides that take turns, results of tools on the user's side.
import type {
  AssistantMessage,
  Conversation,
  ToolSpec,
} from '../../../contract/conversation-api.ts';
import type { Fields } from '../../wire/fields.ts';
import { callInput, callName, createCallIds } from './call-ids.ts';
import { ownBlocks } from './own-blocks.ts';
import type { Answerer } from './own-blocks.ts';
import { schemaOf } from './tool-schema.ts';

interface Said {
  role: 'user' | 'assistant';
  content: Fields[];
}

const CACHED = { cache_control: { type: 'ephemeral' } };

function neutralBlocks(
  { text = '', toolCalls = [] }: AssistantMessage,
  ids: ReadonlyMap<string, string>,
) {
  const calls = toolCalls.map((call) => ({
    type: 'tool_use',
    id: ids.get(call.id),
    name: callName(call),
    input: callInput(call),
  }));
  return [...(text.trim() === '' ? [] : [{ type: 'text', text }]), ...calls];
}

function messagesOf({ messages }: Conversation, to: Answerer): Said[] {
  const said: Said[] = [];
  const callIds = createCallIds();
  let ids: ReadonlyMap<string, string> = new Map();
  const add = (role: Said['role'], ...content: Fields[]) => {
    const last = said.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) said.push({ role, content });
  };
  for (const message of messages) {
    if (message.role === 'user') add('user', { type: 'text', text: message.text });
    else if (message.role === 'tool') {
      add('user', {
        type: 'tool_result',
        tool_use_id: ids.get(message.callId),
        ...(message.text !== '' && { content: message.text }),
        ...(message.isError === true && { is_error: true }),
      });
    } else if (message.role === 'assistant') {
      const own = ownBlocks(message, to);
      ids = callIds.next(message.toolCalls ?? [], own !== undefined);
      add('assistant', ...(own ?? neutralBlocks(message, ids)));
    }
  }
  return said;
}

/**
 * Marks where the next turn, and this one if it is tried again, find what they have in common: the end of the request, and
 * that of the one before, which a turn with many calls puts further back than the vendor looks.
 */
function markEnds(said: readonly Said[]): void {
  const ends = said.filter(({ role }) => role === 'user').slice(-2);
  for (const { content } of ends) Object.assign(content.at(-1)!, CACHED);
}

function toolsOf(tools: readonly ToolSpec[], isMarked: boolean) {
  return tools.map((tool, index) => ({
    name: tool.name,
    description: tool.description,
    input_schema: schemaOf(tool),
    ...(isMarked && index === tools.length - 1 && CACHED),
  }));
}

/** With a budget for thinking, each turn since the user spoke has to begin with a signed thought. */
export function hasUnsignedTurn({ messages }: Conversation, to: Answerer): boolean {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
  return since.some((message) => {
    if (message.role !== 'assistant') return false;
    const type = ownBlocks(message, to)?.[0]?.['type'];
    return type !== 'thinking' && type !== 'redacted_thinking';
  });
}

/** Tools come before the system prompt in what the vendor caches: a mark on the latter holds for both. */
export function anthropicTurn(conversation: Conversation, to: Answerer) {
  const { messages, tools } = conversation;
  const [first] = messages;
  const system = first?.role === 'system' ? first.text : undefined;
  const said = messagesOf(conversation, to);
  markEnds(said);
  return {
    ...(tools.length > 0 && { tools: toolsOf(tools, system === undefined) }),
    ...(system !== undefined && { system: [{ type: 'text', text: system, ...CACHED }] }),
    messages: said,
  };
}
