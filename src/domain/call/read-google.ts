// A request for Google's generateContent or countTokens. Each of its names has two spellings.
import {
  factsOf,
  newDraft,
  takeCandidates,
  takeImage,
  takeLength,
  takeModel,
  takeStored,
} from './call-facts.ts';
import type { CallFacts, Draft } from './call-facts.ts';
import { fieldsIn, isSet, listOf } from './fields.ts';

const CLIENT_TOOLS = new Set([
  'functiondeclarations',
  'function_declarations',
  'functionDeclarations',
]);

function takePart(draft: Draft, part: unknown): void {
  const fields = fieldsIn(part);
  const inline = fieldsIn(fields.get('inlineData', 'inline_data'));
  const type = inline.get('mimeType', 'mime_type');
  if (typeof type === 'string') {
    if (type.startsWith('image/')) takeImage(draft, inline.get('data'));
    else draft.unbounded.add('a file');
  }
  const file = fieldsIn(fields.get('fileData', 'file_data')).get('fileUri', 'file_uri');
  takeStored(draft, 'fileData.fileUri', file);
  if (file != null) draft.unbounded.add('a file');
}

function takeContent(draft: Draft, content: unknown): void {
  for (const part of listOf(fieldsIn(content).get('parts'))) takePart(draft, part);
}

const withoutPrefix = (model: unknown) =>
  typeof model === 'string' ? model.replace(/^models\//, '') : model;

/** `path`: the model and what the query says. */
export function readGoogleCall(
  body: unknown,
  path: { model: string; isStream: boolean; hidesUsage: boolean },
): CallFacts {
  const draft = newDraft();
  const fields = fieldsIn(body);
  takeModel(draft, path.model);
  takeModel(draft, withoutPrefix(fields.get('model')));
  // A count may hold the request that it counts.
  const inner = fields.get('generateContentRequest', 'generate_content_request');
  takeModel(draft, withoutPrefix(fieldsIn(inner).get('model')));
  takeStored(draft, 'cachedContent', fieldsIn(inner).get('cachedContent', 'cached_content'));
  for (const content of listOf(fields.get('contents'))) takeContent(draft, content);
  takeContent(draft, fields.get('systemInstruction', 'system_instruction'));
  const config = fieldsIn(fields.get('generationConfig', 'generation_config'));
  takeLength(draft, config.get('maxOutputTokens', 'max_output_tokens'));
  takeCandidates(draft, config.get('candidateCount', 'candidate_count'));
  const kinds = listOf(config.get('responseModalities', 'response_modalities'));
  if (kinds.some((kind) => String(kind).toUpperCase() !== 'TEXT')) {
    draft.unbounded.add('an answer that is not text');
  }
  if (isSet(config.get('speechConfig', 'speech_config'))) draft.unbounded.add('speech');
  takeStored(draft, 'cachedContent', fields.get('cachedContent', 'cached_content'));
  if (isSet(fields.get('cachedContent', 'cached_content'))) draft.unbounded.add('"cachedContent"');
  const listed = fields.get('tools');
  const tools = Array.isArray(listed) ? listed : isSet(listed) ? [listed] : [];
  for (const tool of tools) {
    for (const name of Object.keys((tool ?? {}) as object)) {
      if (CLIENT_TOOLS.has(name)) continue;
      draft.unbounded.add(`the tool "${name.slice(0, 60)}" of the vendor`);
    }
  }
  if (path.hidesUsage) draft.unbounded.add('a field mask, which may hide the usage');
  return factsOf(draft, {
    isStream: path.isStream,
    tier: fields.get('serviceTier', 'service_tier'),
    asksUsage: false,
    hasTools: tools.length > 0,
  });
}
