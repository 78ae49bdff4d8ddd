// A request for Anthropic's messages.
import { factsOf, newDraft, takeImage, takeLength, takeModel, takeStored } from './call-facts.ts';
import type { CallFacts, Draft } from './call-facts.ts';
import { fieldsIn, isSet, listOf } from './fields.ts';
import type { FieldReader } from './fields.ts';

/** Tools that the client runs itself; dated versions of a name are the same. */
const CLIENT_TOOLS = /^(?:custom|bash|text_editor|computer|memory)(?:_\d{8})?$/;

function takeTool(draft: Draft, tool: unknown): void {
  const fields = fieldsIn(tool);
  const type = fields.get('type');
  if (type != null && !(typeof type === 'string' && CLIENT_TOOLS.test(type))) {
    draft.unbounded.add(`the tool "${JSON.stringify(type).slice(0, 60)}" of the vendor`);
  }
  takeCacheControl(draft, fields);
}

function takeCacheControl(draft: Draft, fields: FieldReader): void {
  const ttl = fieldsIn(fields.get('cache_control')).get('ttl');
  if (ttl != null && ttl !== '5m') draft.keptForAnHour = true;
}

function takeSource(draft: Draft, kind: unknown, source: FieldReader): void {
  const type = source.get('type');
  takeStored(draft, 'source.file_id', source.get('file_id'));
  if (kind === 'image') return takeImage(draft, source.get('data'));
  if (type !== 'text' && type !== 'content') draft.unbounded.add('a document');
}

function takeBlock(draft: Draft, block: unknown): void {
  const fields = fieldsIn(block);
  const type = fields.get('type');
  takeCacheControl(draft, fields);
  if (type === 'image' || type === 'document')
    takeSource(draft, type, fieldsIn(fields.get('source')));
  else if (type === 'container_upload') takeStored(draft, 'file_id', fields.get('file_id'));
  for (const inner of listOf(fields.get('content'))) takeBlock(draft, inner);
}

function takePlace(draft: Draft, name: string, value: unknown, usual: string): void {
  if (value != null && value !== usual) draft.unbounded.add(`"${name}", which has its own price`);
}

export function readAnthropicCall(body: unknown): CallFacts {
  const draft = newDraft();
  const fields = fieldsIn(body);
  takeModel(draft, fields.get('model'));
  takeLength(draft, fields.get('max_tokens'));
  const tools = listOf(fields.get('tools'));
  for (const tool of tools) takeTool(draft, tool);
  takeCacheControl(draft, fields);
  for (const block of listOf(fields.get('system'))) takeBlock(draft, block);
  for (const message of listOf(fields.get('messages'))) takeBlock(draft, message);
  const container = fields.get('container');
  takeStored(
    draft,
    'container',
    fieldsIn(container).get('id') ?? (typeof container === 'string' ? container : null),
  );
  if (isSet(container)) draft.unbounded.add('a container');
  if (isSet(fields.get('mcp_servers'))) draft.unbounded.add('"mcp_servers"');
  takePlace(draft, 'speed', fields.get('speed'), 'standard');
  takePlace(draft, 'inference_geo', fields.get('inference_geo'), 'global');
  return factsOf(draft, {
    isStream: fields.get('stream') === true,
    tier: fields.get('service_tier'),
    asksUsage: false,
    hasTools: tools.length > 0,
  });
}
