// An answer in its vendor's own shape: what of it is kept, and whether it can be sent back.
//
// It comes back from the caller, who may have written anything there. So nothing but the fields that an answer has goes
// out: no names of stored objects, no tools of the vendor's, no media that nobody has counted.
import type { AssistantMessage, OpaqueAnswer } from '../../../contract/conversation-api.ts';
import type { Protocol } from '../../wire/protocol.ts';
import { fieldsOf, listOf, textOf } from '../../wire/fields.ts';
import type { Fields } from '../../wire/fields.ts';

export interface Answerer {
  provider: string;
  model: string;
  format: Protocol;
}

const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) =>
  listOf(value).every((part) =>
    ['output_text', 'refusal'].includes(String(fieldsOf(part)?.['type'])),
  );

/** By the type of a block: its fields, and what it is nothing without. */
const KINDS: Record<
  'anthropic' | 'responses',
  Record<string, { fields: string[]; isWhole(block: Fields): boolean }>
> = {
  anthropic: {
    // A thought that was cut off has no signature, and is refused.
    thinking: {
      fields: ['thinking', 'signature'],
      isWhole: (block) => isText(block['thinking']) && textOf(block['signature']) !== undefined,
    },
    redacted_thinking: {
      fields: ['data'],
      isWhole: (block) => textOf(block['data']) !== undefined,
    },
    // A text of nothing but spaces is refused.
    text: { fields: ['text'], isWhole: (block) => (textOf(block['text']) ?? '').trim() !== '' },
    tool_use: {
      fields: ['id', 'name', 'input', 'caller'],
      isWhole: (block) => isText(block['id']) && fieldsOf(block['input']) !== undefined,
    },
  },
  responses: {
    // Without its content it is only the name of an object that the vendor would have to keep.
    reasoning: {
      fields: ['id', 'summary', 'content', 'encrypted_content', 'status'],
      isWhole: (block) => textOf(block['encrypted_content']) !== undefined,
    },
    message: {
      fields: ['id', 'status', 'role', 'content', 'phase'],
      isWhole: (block) => block['role'] === 'assistant' && isTexts(block['content']),
    },
    function_call: {
      fields: ['id', 'call_id', 'name', 'arguments', 'status'],
      isWhole: (block) => isText(block['call_id']) && isText(block['arguments']),
    },
  },
};
const THOUGHTS = ['reasoning_content', 'reasoning', 'reasoning_details'];

function pick(block: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(block).filter(([name]) => names.includes(name)));
}

function cleanPart(part: Fields): Fields | undefined {
  const call = fieldsOf(part['functionCall']);
  const clean = pick(part, ['text', 'thought', 'thoughtSignature', 'functionCall']);
  if (call !== undefined) {
    const isWhole = isText(call['name']) && call['partialArgs'] === undefined;
    return isWhole ? { ...clean, functionCall: pick(call, ['id', 'name', 'args']) } : undefined;
  }
  if (!isText(part['text'])) return undefined;
  // A summary of thoughts is for people.
  return part['thought'] === true && part['thoughtSignature'] === undefined ? undefined : clean;
}

/** What can be sent of a block; undefined if it cannot be. */
export function cleanBlock(format: Protocol, value: unknown): Fields | undefined {
  const block = fieldsOf(value);
  if (block === undefined) return undefined;
  if (format === 'google') return cleanPart(block);
  if (format === 'chat') return pick(block, THOUGHTS);
  const kind = KINDS[format][String(block['type'])];
  return kind?.isWhole(block) ? pick(block, ['type', ...kind.fields]) : undefined;
}

/** How a block calls a tool; undefined if it does not. By name where the vendor has no ids. */
export function callOf(format: Protocol, block: Fields): string | undefined {
  switch (format) {
    case 'anthropic':
      return block['type'] === 'tool_use' ? (textOf(block['id']) ?? '') : undefined;
    case 'responses':
      return block['type'] === 'function_call' ? (textOf(block['call_id']) ?? '') : undefined;
    case 'google':
      return textOf(fieldsOf(block['functionCall'])?.['name']);
    case 'chat':
      return undefined;
  }
}

/** The id without the day of its release: signatures hold for the model, whichever name it was called by. */
const familyOf = (model: string) =>
  model.toLowerCase().replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');

function isOf(opaque: OpaqueAnswer, to: Answerer): boolean {
  const isSameModel = familyOf(opaque.model) === familyOf(to.model);
  return opaque.provider === to.provider && opaque.format === to.format && isSameModel;
}

/** The blocks of a message that the vendor takes back; undefined: its text and its calls are sent instead. */
export function ownBlocks(message: AssistantMessage, to: Answerer): Fields[] | undefined {
  const { opaque, toolCalls = [] } = message;
  if (opaque === undefined || !isOf(opaque, to)) return undefined;
  const blocks = opaque.blocks.map((block) => cleanBlock(to.format, block));
  if (blocks.length === 0 || !blocks.every((block) => block !== undefined)) return undefined;
  if (to.format === 'chat') return blocks;
  // The answers to its calls follow, so both must have the same calls.
  const calls = blocks
    .map((block) => callOf(to.format, block))
    .filter((call) => call !== undefined);
  const expected = toolCalls.map(({ id, name }) => (to.format === 'google' ? name : id));
  const isSame =
    calls.length === expected.length && calls.every((call, at) => call === expected[at]);
  return isSame ? blocks : undefined;
}
