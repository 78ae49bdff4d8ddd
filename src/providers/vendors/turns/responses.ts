// A conversation in the form of OpenAI's responses: a list of items.
import type { AssistantMessage, Conversation } from '../../../contract/conversation-api.ts';
import { isReasoningModel } from '../reasoning.ts';
import { callInput, callName, createCallIds } from './call-ids.ts';
import { resultText } from './chat.ts';
import { ownBlocks } from './own-blocks.ts';
import type { Answerer } from './own-blocks.ts';
import { schemaOf } from './tool-schema.ts';

function neutralItems(
  { text = '', toolCalls = [] }: AssistantMessage,
  ids: ReadonlyMap<string, string>,
) {
  const calls = toolCalls.map((call) => ({
    type: 'function_call',
    call_id: ids.get(call.id),
    name: callName(call),
    arguments: JSON.stringify(callInput(call)),
  }));
  return [...(text === '' ? [] : [{ role: 'assistant', content: text }]), ...calls];
}

export function responsesTurn({ messages, tools }: Conversation, to: Answerer) {
  const callIds = createCallIds();
  let ids: ReadonlyMap<string, string> = new Map();
  const input = messages.flatMap((message): object[] => {
    switch (message.role) {
      case 'system':
        // Models that reason have no system.
        return [
          { role: isReasoningModel(to.model) ? 'developer' : 'system', content: message.text },
        ];
      case 'user':
        return [{ role: 'user', content: [{ type: 'input_text', text: message.text }] }];
      case 'tool': {
        const call_id = ids.get(message.callId);
        return [{ type: 'function_call_output', call_id, output: resultText(message) }];
      }
      case 'assistant': {
        const own = ownBlocks(message, to);
        ids = callIds.next(message.toolCalls ?? [], own !== undefined);
        return own ?? neutralItems(message, ids);
      }
    }
  });
  const offered = tools.map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: schemaOf(tool),
    // Strict schemas follow rules that the caller's need not follow.
    strict: false,
  }));
  return { ...(offered.length > 0 && { tools: offered }), input };
}
