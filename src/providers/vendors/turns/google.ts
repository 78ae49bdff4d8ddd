// A conversation in the form of Google's generateContent. Its answers to calls have no ids unless the calls had them:
// they belong to the calls by their order.
import type {
  AssistantMessage,
  Conversation,
  Message,
} from '../../../contract/conversation-api.ts';
import { fieldsOf, textOf } from '../../wire/fields.ts';
import type { Fields } from '../../wire/fields.ts';
import { callInput, callName } from './call-ids.ts';
import { ownBlocks } from './own-blocks.ts';
import type { Answerer } from './own-blocks.ts';
import { schemaOf } from './tool-schema.ts';

type ToolMessage = Extract<Message, { role: 'tool' }>;

/** These refuse a call without a signature; this one says that another model made the call. */
const WITH_SIGNATURES = /^gemini-(?:[3-9]|\d\d)/;
const OF_ANOTHER_MODEL = 'skip_thought_signature_validator';

function neutralParts(
  { text = '', toolCalls = [] }: AssistantMessage,
  { model }: Answerer,
): Fields[] {
  const signature = WITH_SIGNATURES.test(model) && { thoughtSignature: OF_ANOTHER_MODEL };
  const calls = toolCalls.map((call, index) => ({
    functionCall: { name: callName(call), args: callInput(call) },
    // Of several calls in one turn, the first has it.
    ...(index === 0 && signature),
  }));
  return [...(text === '' ? [] : [{ text }]), ...calls];
}

function resultPart({ text, isError }: ToolMessage, name: unknown, id: string | undefined): Fields {
  const response = isError === true ? { error: text } : { output: text };
  return { functionResponse: { ...(id !== undefined && { id }), name, response } };
}

/** The answers in the order of the calls, whichever the caller had first. */
function resultParts(
  answers: readonly ToolMessage[],
  { toolCalls = [] }: AssistantMessage,
  parts: readonly Fields[],
): Fields[] {
  const called = parts
    .map((part) => fieldsOf(part['functionCall']))
    .filter((call) => call !== undefined);
  return toolCalls.flatMap(({ id }, index) => {
    const answer = answers.find(({ callId }) => callId === id);
    const call = called[index];
    return answer === undefined ? [] : [resultPart(answer, call?.['name'], textOf(call?.['id']))];
  });
}

export function googleTurn({ messages, tools }: Conversation, to: Answerer, hasSystem: boolean) {
  const contents: { role: string; parts: Fields[] }[] = [];
  const add = (role: string, parts: Fields[]) => {
    if (parts.length > 0) contents.push({ role, parts });
  };
  let last: { message: AssistantMessage; parts: Fields[]; answers: ToolMessage[] } | undefined;
  const addResults = () => {
    if (last) add('user', resultParts(last.answers, last.message, last.parts));
    last = undefined;
  };
  let system: string | undefined;
  for (const message of messages) {
    if (message.role === 'tool') {
      last?.answers.push(message);
      continue;
    }
    addResults();
    if (message.role === 'system') system = message.text;
    else if (message.role === 'user') {
      const isFirst = contents.length === 0 && system !== undefined && !hasSystem;
      add('user', [...(isFirst ? [{ text: `${system}\n\n` }] : []), { text: message.text }]);
    } else {
      const parts = ownBlocks(message, to) ?? neutralParts(message, to);
      add('model', parts);
      last = { message, parts, answers: [] };
    }
  }
  addResults();
  const functionDeclarations = tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parametersJsonSchema: schemaOf(tool),
  }));
  return {
    ...(tools.length > 0 && { tools: [{ functionDeclarations }] }),
    ...(system !== undefined && hasSystem && { systemInstruction: { parts: [{ text: system }] } }),
    contents,
  };
}
