import { readContent } from './content.ts';
import { checkResults, RefusedBody } from './conversation.ts';
import type { Conversation, OfferedTool, ToolChoice } from './conversation.ts';
import { isRecord, list, name, record, strings, text } from './loose-json.ts';
import type { Json } from './loose-json.ts';
import { createTurns } from './turns.ts';
import type { Said } from './turns.ts';

/** `count` needs no limit: it makes no answer. */
export function readAnthropic(body: Json, isCount: boolean): Omit<Conversation, 'model'> {
  if (!isCount && !isLimit(body.max_tokens)) {
    throw new RefusedBody(
      body.max_tokens === undefined
        ? 'max_tokens: Field required'
        : 'max_tokens: Input should be an integer greater than or equal to 1',
    );
  }
  const messages = list(body.messages);
  if (messages.length === 0) throw new RefusedBody('messages: at least one message is required');
  const { add, turns } = createTurns();
  let system = readContent(body.system).texts.join('\n');
  for (const [at, message] of messages.map(record).entries()) {
    if (message.role === 'system') system += `\n${readContent(message.content).texts.join('\n')}`;
    else if (message.role === 'user') add('user', readUser(message.content));
    else if (message.role === 'assistant') add('model', readModel(message.content));
    else throw new RefusedBody(`messages.${at}.role: Input should be 'user' or 'assistant'`);
  }
  checkResults(turns, {
    unanswered: (id) =>
      `messages: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}`,
    unknown: (id) =>
      `messages: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
  });
  const tools = list(body.tools).map(record).flatMap(readTool);
  const format = record(record(body.output_config).format ?? body.output_format);
  // A mark of the whole request keeps all of it.
  const keeps = isRecord(body.cache_control) ? 'all' : 'marked';
  return {
    system,
    turns,
    tools,
    choice: readChoice(record(body.tool_choice)),
    maxTokens: isLimit(body.max_tokens) ? Number(body.max_tokens) : undefined,
    stops: strings(body.stop_sequences),
    schema: format.type === 'json_schema' ? (format.schema ?? {}) : undefined,
    isBare: false,
    keeps,
    isSystemMarked: readContent(body.system).isMarked || readContent(body.tools).isMarked,
  };
}

function isLimit(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1;
}

function readUser(content: unknown): Said {
  const said = readContent(content);
  const results = list(content)
    .map(record)
    .filter(({ type }) => type === 'tool_result');
  const inside = results.map(({ content }) => readContent(content));
  return {
    ...said,
    images: said.images + inside.reduce((sum, { images }) => sum + images, 0),
    results: results.map(({ tool_use_id }) => name(tool_use_id)),
    data: inside.flatMap(({ texts }) => texts),
  };
}

function readModel(content: unknown): Said {
  const uses = list(content)
    .map(record)
    .filter(({ type }) => type === 'tool_use');
  return {
    ...readContent(content),
    calls: uses.map(({ id }) => name(id)),
    data: uses.map(({ name, input }) => `${text(name)} ${JSON.stringify(input ?? {})}`),
  };
}

/** Tools that the vendor runs itself have a type and no schema: they are not called. */
function readTool({ name: of, input_schema }: Json): OfferedTool[] {
  const called = name(of);
  if (called === undefined || input_schema === undefined) return [];
  return [{ name: called, schema: input_schema, isFreeText: false }];
}

function readChoice({ type, name: of }: Json): ToolChoice {
  const called = name(of);
  if (type === 'tool' && called !== undefined) return { kind: 'tool', name: called };
  return { kind: type === 'any' ? 'any' : type === 'none' ? 'none' : 'auto' };
}
