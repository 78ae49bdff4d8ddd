import { readContent } from './content.ts';
import { checkResults, RefusedBody } from './conversation.ts';
import type { Conversation, OfferedTool, ToolChoice } from './conversation.ts';
import { list, name, record, strings, text } from './loose-json.ts';
import type { Json } from './loose-json.ts';
import { createTurns } from './turns.ts';
import type { Said } from './turns.ts';

export function readChat(body: Json): Omit<Conversation, 'model'> {
  const messages = list(body.messages);
  if (messages.length === 0) {
    throw new RefusedBody("Missing required parameter: 'messages'.", 'messages');
  }
  if ((body.n ?? 1) !== 1) {
    throw new RefusedBody('The simulator answers with one choice: leave n out.', 'n');
  }
  const { add, turns } = createTurns();
  const system: string[] = [];
  for (const [at, message] of messages.map(record).entries()) {
    const content = readContent(message.content);
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(...content.texts);
        break;
      case 'user':
        add('user', content);
        break;
      case 'assistant':
        add('model', { ...content, ...readCalls(list(message.tool_calls).map(record)) });
        break;
      case 'tool':
        add('user', {
          images: content.images,
          results: [name(message.tool_call_id)],
          data: content.texts,
        });
        break;
      default:
        throw new RefusedBody(
          `Invalid value: '${text(message.role)}'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.`,
          `messages[${at}].role`,
        );
    }
  }
  checkResults(turns, {
    unanswered: (id) =>
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${id}`,
    unknown: () =>
      "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
  });
  const format = record(body.response_format);
  const isJson = format.type === 'json_schema' || format.type === 'json_object';
  return {
    system: system.join('\n'),
    turns,
    tools: list(body.tools).map(record).flatMap(readTool),
    choice: readChoice(body.tool_choice),
    maxTokens: limitIn(body, 'max_completion_tokens') ?? limitIn(body, 'max_tokens'),
    stops: strings(body.stop),
    schema: isJson ? (record(format.json_schema).schema ?? {}) : undefined,
    isBare: false,
    keeps: 'all',
    isSystemMarked: false,
  };
}

/** A limit on the answer, which has to be a number of tokens. */
export function limitIn(body: Json, field: string): number | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (!Number.isInteger(value) || Number(value) < 1) {
    throw new RefusedBody(
      `Invalid value for '${field}': expected an integer greater than or equal to 1.`,
      field,
    );
  }
  return Number(value);
}

function readCalls(calls: Json[]): Pick<Said, 'calls' | 'data'> {
  return {
    calls: calls.map(({ id }) => name(id)),
    data: calls.map((call) => {
      const { name, arguments: given, input } = record(call.function ?? call.custom);
      return `${text(name)} ${text(given ?? input)}`;
    }),
  };
}

function readTool(tool: Json): OfferedTool[] {
  const isFreeText = tool.type === 'custom';
  const { name: of, parameters } = record(isFreeText ? tool.custom : tool.function);
  const called = name(of);
  return called === undefined ? [] : [{ name: called, schema: parameters ?? {}, isFreeText }];
}

function readChoice(choice: unknown): ToolChoice {
  if (choice === 'none') return { kind: 'none' };
  if (choice === 'required') return { kind: 'any' };
  const { function: of, custom } = record(choice);
  const called = name(record(of ?? custom).name);
  return called === undefined ? { kind: 'auto' } : { kind: 'tool', name: called };
}
