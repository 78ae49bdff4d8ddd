import { readContent } from './content.ts';
import { checkResults, RefusedBody } from './conversation.ts';
import type { Conversation, OfferedTool, ToolChoice } from './conversation.ts';
import { list, name, record, text } from './loose-json.ts';
import type { Json } from './loose-json.ts';
import { limitIn } from './read-chat.ts';
import { createTurns } from './turns.ts';

/** What needs a store of earlier answers, or somewhere to answer later: the simulator has neither. */
const STORED = ['previous_response_id', 'conversation', 'prompt'] as const;

export function readResponses(body: Json): Omit<Conversation, 'model'> {
  const stored = STORED.find((field) => (body[field] ?? null) !== null);
  if (stored !== undefined) {
    throw new RefusedBody(
      `The simulator keeps no responses: send the whole conversation as input, without ${stored}.`,
      stored,
    );
  }
  if (body.background === true) {
    throw new RefusedBody('The simulator answers at once: leave background out.', 'background');
  }
  const { add, turns } = createTurns();
  const system = [text(body.instructions)];
  const items = typeof body.input === 'string' ? [{ content: body.input }] : list(body.input);
  if (items.length === 0) throw new RefusedBody("Missing required parameter: 'input'.", 'input');
  for (const item of items.map(record)) {
    switch (item.type ?? 'message') {
      case 'message': {
        const content = readContent(item.content);
        if (item.role === 'system' || item.role === 'developer') system.push(...content.texts);
        else add(item.role === 'assistant' ? 'model' : 'user', content);
        break;
      }
      case 'function_call':
      case 'custom_tool_call': {
        const data = `${text(item.name)} ${text(item.arguments ?? item.input)}`;
        add('model', { calls: [name(item.call_id)], data: [data] });
        break;
      }
      case 'function_call_output':
      case 'custom_tool_call_output': {
        const { texts, images } = readContent(item.output);
        add('user', { results: [name(item.call_id)], data: texts, images });
        break;
      }
      case 'item_reference': {
        // Ids of the simulator's items say what they are: see `write-responses.ts`.
        const call = /^(?:fc|ctc)_(\w+)$/.exec(text(item.id))?.[1];
        add('model', call === undefined ? {} : { calls: [`call_${call}`] });
        break;
      }
      default:
        // Reasoning and what other tools left behind: it counts as read.
        add('model', { data: [JSON.stringify(item)] });
    }
  }
  checkResults(turns, {
    unanswered: (id) => `No tool output found for function call ${id}.`,
    unknown: (id) => `No tool call found for function call output with call_id ${id}.`,
  });
  const format = record(record(body.text).format);
  const isJson = format.type === 'json_schema' || format.type === 'json_object';
  return {
    system: system.filter((each) => each !== '').join('\n'),
    turns,
    tools: list(body.tools).map(record).flatMap(readTool),
    choice: readChoice(body.tool_choice),
    maxTokens: limitIn(body, 'max_output_tokens'),
    stops: [],
    schema: isJson ? (format.schema ?? {}) : undefined,
    isBare: false,
    keeps: 'all',
    isSystemMarked: false,
  };
}

/** Tools that the vendor runs itself have a type of their own: they are not called. */
function readTool({ type, name: of, parameters }: Json): OfferedTool[] {
  const called = name(of);
  if (called === undefined || (type !== 'function' && type !== 'custom')) return [];
  return [{ name: called, schema: parameters ?? {}, isFreeText: type === 'custom' }];
}

function readChoice(choice: unknown): ToolChoice {
  if (choice === 'none') return { kind: 'none' };
  if (choice === 'required') return { kind: 'any' };
  const called = name(record(choice).name);
  return called === undefined ? { kind: 'auto' } : { kind: 'tool', name: called };
}
