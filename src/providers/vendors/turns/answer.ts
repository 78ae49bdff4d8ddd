// What a caller gets of an answer beyond its text: the calls of tools, and what its vendor wants back with the next turn.
import { randomBytes } from 'node:crypto';
import { MAX_NESTING } from '../../../contract/conversation-api.ts';
import type { OpaqueAnswer, ToolCall } from '../../../contract/conversation-api.ts';
import { isNestedAtMost } from '../../../contract/nesting.ts';
import type { TurnAnswer } from '../../provider.ts';
import type { AnswerSoFar } from '../../wire/answer.ts';
import { fieldsOf, textOf } from '../../wire/fields.ts';
import type { Fields } from '../../wire/fields.ts';
import { callInput } from './call-ids.ts';
import { callOf, cleanBlock } from './own-blocks.ts';
import type { Answerer } from './own-blocks.ts';

/** Some models write nothing where a tool has no arguments. */
export function readArguments(text: string): Pick<ToolCall, 'arguments' | 'argumentsText'> {
  if (text.trim() === '') return { arguments: {} };
  try {
    const value = fieldsOf(JSON.parse(text));
    if (value !== undefined && isNestedAtMost(value, MAX_NESTING)) return { arguments: value };
  } catch {
    // Not JSON.
  }
  return { arguments: null, argumentsText: text };
}

function isEmpty({ arguments: given }: ToolCall): boolean {
  return given !== null && Object.keys(given).length === 0;
}

function readCalls({ toolCalls, finish }: AnswerSoFar): (ToolCall | undefined)[] {
  const ids = new Set<string>();
  return toolCalls.map(({ id, name, arguments: text, isCounted }, index) => {
    const isNew = isCounted !== true && !ids.has(id);
    const call = {
      // Those that are made here differ from those of other turns as well.
      id: isNew ? id : `call_${randomBytes(12).toString('hex')}`,
      name,
      ...readArguments(text),
    };
    ids.add(call.id);
    if (finish !== 'length') return call;
    // The answer was cut off: the last call may have more arguments than none.
    const isLast = index === toolCalls.length - 1;
    return call.arguments === null || (isLast && isEmpty(call)) ? undefined : call;
  });
}

/** The blocks with the calls that are whole. Those of one answer come in the same order in both lists. */
function withCalls(
  format: Answerer['format'],
  blocks: Fields[],
  calls: readonly (ToolCall | undefined)[],
) {
  let index = 0;
  return blocks.flatMap((block): Fields[] => {
    const isCall = callOf(format, block) !== undefined;
    const call = isCall ? calls[index++] : undefined;
    if (!isCall) return [block];
    if (call === undefined) return [];
    return [format === 'anthropic' ? { ...block, input: callInput(call) } : block];
  });
}

/** A thought that nothing follows is refused. */
function withoutLastThoughts(blocks: readonly Fields[]): Fields[] {
  return blocks.slice(0, blocks.findLastIndex(({ type }) => type !== 'reasoning') + 1);
}

/** Whether the blocks say more than the text and the calls do. */
function saysMore(format: Answerer['format'], block: Fields): boolean {
  switch (format) {
    case 'anthropic':
      return block['type'] === 'thinking' || block['type'] === 'redacted_thinking';
    case 'google':
      return (
        block['thoughtSignature'] !== undefined ||
        textOf(fieldsOf(block['functionCall'])?.['id']) !== undefined
      );
    case 'responses':
    case 'chat':
      return Object.keys(block).length > 0;
  }
}

function opaqueOf(
  answer: AnswerSoFar,
  by: Answerer,
  calls: readonly (ToolCall | undefined)[],
): OpaqueAnswer | undefined {
  const { format } = by;
  const cut = withCalls(format, answer.blocks, calls);
  const clean = cut
    .map((block) => cleanBlock(format, block))
    .filter((block) => block !== undefined);
  const blocks = format === 'responses' ? withoutLastThoughts(clean) : clean;
  const isUseful = blocks.some((block) => saysMore(format, block));
  return isUseful && isNestedAtMost(blocks, 2 * MAX_NESTING) ? { ...by, blocks } : undefined;
}

export function turnAnswerOf(answer: AnswerSoFar, by: Answerer): TurnAnswer {
  const calls = readCalls(answer);
  const opaque = opaqueOf(answer, by, calls);
  return {
    toolCalls: calls.filter((call) => call !== undefined),
    ...(opaque !== undefined && { opaque }),
  };
}
