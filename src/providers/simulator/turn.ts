// A job that is a turn of a conversation: it gets what clients of the model endpoint get, without the bytes around it.
import { createHash } from 'node:crypto';
import type { ToolCall } from '../../contract/conversation-api.ts';
import { argumentsTextOf } from '../../contract/conversation-texts.ts';
import type { ProviderRequest, TurnAnswer } from '../provider.ts';
import { readArguments } from '../vendors/turns/answer.ts';
import type { Conversation } from './wire/conversation.ts';
import type { Spoken } from './wire/speak.ts';
import { createTurns } from './wire/turns.ts';

/** The conversation of a job as the simulator reads those of vendors' clients. */
export function simulatedTurn(
  model: string,
  maxTokens: number | undefined,
  { messages, tools }: NonNullable<ProviderRequest['conversation']>,
): Conversation {
  const { add, turns } = createTurns();
  for (const message of messages) {
    switch (message.role) {
      case 'user':
        add('user', { texts: [message.text] });
        break;
      case 'tool':
        add('user', { results: [message.callId], data: [message.text] });
        break;
      case 'assistant': {
        const calls = message.toolCalls ?? [];
        add('model', {
          texts: [message.text ?? ''],
          calls: calls.map(({ id }) => id),
          data: calls.map(argumentsTextOf),
        });
        break;
      }
      case 'system':
    }
  }
  const [first] = messages;
  return {
    model,
    system: first?.role === 'system' ? first.text : '',
    turns,
    tools: tools.map(({ name, parameters }) => ({ name, schema: parameters, isFreeText: false })),
    choice: { kind: 'auto' },
    maxTokens,
    stops: [],
    schema: undefined,
    isBare: false,
    keeps: 'all',
    isSystemMarked: false,
  };
}

/** The calls that were said to their end. Their ids follow from the conversation, so no other turn has them. */
export function turnAnswer({ parts, open }: Spoken, digest: Buffer): TurnAnswer {
  const seed = createHash('sha256').update(digest).digest('hex').slice(0, 16);
  const toolCalls = parts.flatMap((part): ToolCall[] => {
    if (part.call === undefined || part === open) return [];
    const { index, name } = part.call;
    return [{ id: `call_${seed}_${index}`, name, ...readArguments(part.text) }];
  });
  return { toolCalls };
}
