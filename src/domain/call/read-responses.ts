// A request for OpenAI's responses.
import { factsOf, newDraft, takeImage, takeLength, takeModel, takeStored } from './call-facts.ts';
import type { CallFacts, Draft } from './call-facts.ts';
import { fieldsIn, isSet, listOf } from './fields.ts';

const CLIENT_TOOLS = new Set([
  'function',
  'custom',
  'local_shell',
  'apply_patch',
  'computer',
  'computer_use_preview',
]);
const WITH_TOOLS = /deep-research|search-preview/i;
/** Groups of the client's tools. */
const GROUPS = new Set(['namespace']);

function takeTool(draft: Draft, tool: unknown): void {
  const fields = fieldsIn(tool);
  const type = fields.get('type');
  if (typeof type === 'string' && GROUPS.has(type)) {
    for (const inner of listOf(fields.get('tools'))) takeTool(draft, inner);
  } else if (typeof type !== 'string' || !CLIENT_TOOLS.has(type)) {
    draft.unbounded.add(`the tool "${String(type).slice(0, 60)}" of the vendor`);
  }
}

function takePart(draft: Draft, part: unknown): void {
  const fields = fieldsIn(part);
  const type = fields.get('type');
  takeStored(draft, 'file_id', fields.get('file_id'));
  if (type === 'input_image' || type === 'computer_screenshot')
    takeImage(draft, fields.get('image_url'));
  else if (type === 'input_file') draft.unbounded.add('a file');
  else if (type === 'input_audio') draft.unbounded.add('audio');
}

function takeItem(draft: Draft, item: unknown): void {
  const fields = fieldsIn(item);
  const type = fields.get('type');
  if (type === 'item_reference') takeStored(draft, 'input.id', fields.get('id'));
  for (const part of listOf(fields.get('content'))) takePart(draft, part);
  const output = fields.get('output');
  for (const part of listOf(output)) takePart(draft, part);
  if (type === 'computer_call_output') takePart(draft, output);
}

export function readResponsesCall(body: unknown): CallFacts {
  const draft = newDraft();
  const fields = fieldsIn(body);
  takeModel(draft, fields.get('model'));
  takeLength(draft, fields.get('max_output_tokens'));
  if (draft.models.some((model) => WITH_TOOLS.test(model)))
    draft.unbounded.add('a model that searches');
  for (const item of listOf(fields.get('input'))) takeItem(draft, item);
  const tools = listOf(fields.get('tools'));
  for (const tool of tools) takeTool(draft, tool);
  takeStored(draft, 'previous_response_id', fields.get('previous_response_id'));
  const conversation = fields.get('conversation');
  takeStored(
    draft,
    'conversation',
    fieldsIn(conversation).get('id') ?? (typeof conversation === 'string' ? conversation : null),
  );
  takeStored(draft, 'prompt.id', fieldsIn(fields.get('prompt')).get('id'));
  for (const name of ['previous_response_id', 'conversation', 'prompt', 'background'] as const) {
    if (isSet(fields.get(name))) draft.unbounded.add(`"${name}"`);
  }
  return factsOf(draft, {
    isStream: fields.get('stream') === true,
    tier: fields.get('service_tier'),
    asksUsage: false,
    hasTools: tools.length > 0,
  });
}
