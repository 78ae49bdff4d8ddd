import { RefusedBody } from './conversation.ts';
import type { Conversation, OfferedTool, ToolChoice } from './conversation.ts';
import { isRecord, list, name, record, strings, text } from './loose-json.ts';
import type { Json } from './loose-json.ts';
import { createTurns } from './turns.ts';
import type { Said } from './turns.ts';

export function readGoogle(body: Json): Omit<Conversation, 'model'> {
  // A question about the length of a prompt may hold the request itself.
  const inner = field(body, 'generateContentRequest');
  if (isRecord(inner)) return readGoogle(inner);
  const contents = list(body.contents).map(record);
  if (contents.length === 0) {
    throw new RefusedBody('* GenerateContentRequest.contents: contents is not specified');
  }
  const { add, turns } = createTurns();
  for (const content of contents) {
    const role = content.role ?? 'user';
    if (role !== 'user' && role !== 'model' && role !== 'function') {
      throw new RefusedBody('Please use a valid role: user, model.');
    }
    add(role === 'model' ? 'model' : 'user', readParts(content));
  }
  const config = record(field(body, 'generationConfig'));
  const mime = text(field(config, 'responseMimeType'));
  const schema = field(config, 'responseJsonSchema') ?? field(config, 'responseSchema');
  if (Number(field(config, 'candidateCount') ?? 1) !== 1) {
    throw new RefusedBody('The simulator answers with one candidate: leave candidateCount out.');
  }
  return {
    system: (readParts(record(field(body, 'systemInstruction'))).texts ?? []).join('\n'),
    turns,
    tools: list(body.tools).flatMap(readTools),
    choice: readChoice(record(field(body, 'toolConfig'))),
    maxTokens: limitIn(config),
    stops: strings(field(config, 'stopSequences')),
    schema: schema ?? (mime === 'application/json' ? {} : undefined),
    isBare: mime === 'text/x.enum',
    keeps: 'all',
    isSystemMarked: false,
  };
}

/** This vendor reads its fields in both spellings: `generationConfig` and `generation_config`. */
function field(of: Json, camel: string): unknown {
  return of[camel] ?? of[camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function limitIn(config: Json): number | undefined {
  const limit = field(config, 'maxOutputTokens');
  if (limit === undefined) return undefined;
  if (!Number.isInteger(limit) || Number(limit) < 1) {
    throw new RefusedBody('max_output_tokens must be positive.');
  }
  return Number(limit);
}

function readParts(content: Json): Said {
  const parts = list(content.parts).map(record);
  const calls = parts.flatMap((part) => {
    const call = field(part, 'functionCall');
    return isRecord(call) ? [call] : [];
  });
  const results = parts.flatMap((part) => {
    const result = field(part, 'functionResponse');
    return isRecord(result) ? [result] : [];
  });
  return {
    texts: parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])),
    // Calls have ids only where the client keeps them; their order is what counts.
    calls: calls.map(() => undefined),
    results: results.map(() => undefined),
    data: [...calls, ...results].map((each) => JSON.stringify(each)),
    images: parts.filter((part) => field(part, 'inlineData') ?? field(part, 'fileData')).length,
  };
}

function readTools(tool: unknown): OfferedTool[] {
  return list(field(record(tool), 'functionDeclarations')).flatMap((each) => {
    const declared = record(each);
    const called = name(declared.name);
    if (called === undefined) return [];
    const schema = field(declared, 'parametersJsonSchema') ?? declared.parameters ?? {};
    return [{ name: called, schema, isFreeText: false }];
  });
}

function readChoice(toolConfig: Json): ToolChoice {
  const config = record(field(toolConfig, 'functionCallingConfig'));
  if (config.mode === 'NONE') return { kind: 'none' };
  if (config.mode !== 'ANY') return { kind: 'auto' };
  const [only, ...others] = strings(field(config, 'allowedFunctionNames'));
  return only === undefined || others.length > 0 ? { kind: 'any' } : { kind: 'tool', name: only };
}
