// Writes down what the readers find, the same for each of them.
import type { AnswerSoFar, Delta, Finish, ToolCall, WireError } from './answer.ts';
import type { Fields } from './fields.ts';

function nothingYet(): AnswerSoFar {
  return {
    text: '',
    thought: '',
    toolCalls: [],
    blocks: [],
    began: false,
    usage: undefined,
    partial: undefined,
    finish: undefined,
    finishRaw: undefined,
    isComplete: false,
    model: undefined,
    tier: undefined,
    costUsd: undefined,
    storedId: undefined,
    error: undefined,
  };
}

export type Recorder = ReturnType<typeof createRecorder>;

/** `keepsBlocks`: of an answer that will be sent back. Others would hold every answer twice. */
export function createRecorder(onDelta: (delta: Delta) => void, keepsBlocks: boolean) {
  const answer = nothingYet();
  return {
    answer,
    text(piece: string): void {
      if (piece === '') return;
      answer.began = true;
      answer.text += piece;
      onDelta({ kind: 'text', text: piece });
    },
    thought(piece: string): void {
      if (piece === '') return;
      answer.began = true;
      answer.thought += piece;
      onDelta({ kind: 'thought', text: piece });
    },
    startCall(call: ToolCall): ToolCall {
      answer.began = true;
      answer.toolCalls.push(call);
      onDelta({ kind: 'tool', id: call.id, name: call.name, text: call.arguments });
      return call;
    },
    addToCall(call: ToolCall, piece: string): void {
      if (piece === '') return;
      call.arguments += piece;
      onDelta({ kind: 'tool', id: call.id, text: piece });
    },
    /** A copy, for the reader to add to; undefined where none is kept. */
    block(fields: Fields): Fields | undefined {
      if (!keepsBlocks) return undefined;
      const block = { ...fields };
      answer.blocks.push(block);
      return block;
    },
    model(name: unknown): void {
      if (answer.model === undefined && typeof name === 'string' && name !== '') {
        answer.model = name;
      }
    },
    finish(finish: Finish, raw: string | undefined): void {
      answer.finish = finish;
      answer.finishRaw = raw;
    },
    /** Nothing more has to come. After an error, whatever comes makes no whole answer. */
    complete(): void {
      answer.isComplete = answer.error === undefined;
    },
    /** The first error counts: others often follow from it. */
    fail(error: WireError): void {
      answer.error ??= error;
      answer.isComplete = false;
    },
  };
}
