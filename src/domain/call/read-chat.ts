// A request for chat completions, of OpenAI, OpenRouter and servers that speak as they do.
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

const CLIENT_TOOLS = new Set(['function', 'custom']);
/** These search or run code with every answer, at a price of its own. */
const WITH_TOOLS = /search-preview|search-api|deep-research|:online\b/i;

function takePart(draft: Draft, part: unknown): void {
  const fields = fieldsIn(part);
  switch (fields.get('type')) {
    case 'image_url': {
      const image = fields.get('image_url');
      return takeImage(draft, typeof image === 'string' ? image : fieldsIn(image).get('url'));
    }
    case 'file':
      takeStored(draft, 'file_id', fieldsIn(fields.get('file')).get('file_id'));
      draft.unbounded.add('a file');
      return;
    case 'input_audio':
    case 'video_url':
      draft.unbounded.add('audio or video');
      return;
    default:
      if (isHourLong(fields.get('cache_control'))) draft.keptForAnHour = true;
  }
}

const isHourLong = (control: unknown): boolean => {
  const ttl = fieldsIn(control).get('ttl');
  return ttl != null && ttl !== '5m';
};

export function readChatCall(body: unknown): CallFacts {
  const draft = newDraft();
  const fields = fieldsIn(body);
  takeModel(draft, fields.get('model'));
  for (const model of listOf(fields.get('models'))) takeModel(draft, model);
  takeLength(draft, fields.get('max_tokens'));
  takeLength(draft, fields.get('max_completion_tokens'));
  takeCandidates(draft, fields.get('n'));
  if (draft.models.some((model) => WITH_TOOLS.test(model)))
    draft.unbounded.add('a model that searches');
  for (const message of listOf(fields.get('messages'))) {
    const read = fieldsIn(message);
    for (const part of listOf(read.get('content'))) takePart(draft, part);
    takeStored(draft, 'audio.id', fieldsIn(read.get('audio')).get('id'));
  }
  const tools = listOf(fields.get('tools'));
  for (const tool of tools) {
    const type = fieldsIn(tool).get('type');
    if (typeof type !== 'string' || !CLIENT_TOOLS.has(type)) {
      draft.unbounded.add(`the tool "${String(type).slice(0, 60)}" of the vendor`);
    }
  }
  for (const name of ['web_search_options', 'plugins', 'prediction', 'audio'] as const) {
    if (isSet(fields.get(name))) draft.unbounded.add(`"${name}"`);
  }
  if (listOf(fields.get('modalities')).some((modality) => modality !== 'text')) {
    draft.unbounded.add('an answer that is not text');
  }
  return factsOf(draft, {
    isStream: fields.get('stream') === true,
    tier: fields.get('service_tier'),
    asksUsage: fieldsIn(fields.get('stream_options')).get('include_usage') === true,
    hasTools: tools.length > 0 || isSet(fields.get('functions')),
  });
}
