// What has come of a vendor's answer so far, as its reader found it on the wire.
import type { PricedTier } from '../../domain/model/facts-price.ts';
import type { Usage } from '../provider.ts';
import type { Fields } from './fields.ts';

/** How an answer ended, whatever the vendor calls it. */
export type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other';

export interface ToolCall {
  /** As the vendor counts or names it; calls of one answer differ in it. */
  id: string;
  name: string;
  /** JSON text, as far as it has come. */
  arguments: string;
  /** The vendor gave it no id: this one counts the calls of its answer. */
  isCounted?: true;
}

/** What a vendor says went wrong: in an answer of its own or in the middle of a stream. */
export interface WireError {
  /** Of the response, or as the words of the error imply. */
  status: number | undefined;
  /** The vendor's own word for it. */
  code: string | undefined;
  message: string;
  /** As the vendor wrote it, the beginning of it: some say only here what is wrong. */
  raw?: string;
}

export interface WireUsage extends Omit<Usage, 'estimated'> {
  /** Of `output`: what went into thinking, where the vendor says so. */
  reasoning?: number;
}

export interface AnswerSoFar {
  /** Where a question has several answers at a time, the text of all, as it comes: all is paid for. */
  text: string;
  /** What the model thought aloud. */
  thought: string;
  toolCalls: ToolCall[];
  /** The answer in the vendor's own shape, so that it can be sent back; only where the reader is asked to keep it. */
  blocks: Fields[];
  /** The model has said, thought or called something: from here on the call is paid for. */
  began: boolean;
  /** Final figures, once they are there and make sense. */
  usage: WireUsage | undefined;
  /** What was reported on the way; `output` only where it is a running total. */
  partial: (Omit<WireUsage, 'output'> & { output?: number }) | undefined;
  finish: Finish | undefined;
  /** In the vendor's words. */
  finishRaw: string | undefined;
  /** The answer is whole: it said how it ended, and nothing that its kind of answer ends with is missing. */
  isComplete: boolean;
  /** The model that answered, as the answer names it. */
  model: string | undefined;
  tier: PricedTier | undefined;
  /** What the vendor says it charged. */
  costUsd: number | undefined;
  /** The id under which the vendor keeps the answer, where later calls could name it. */
  storedId: string | undefined;
  error: WireError | undefined;
}

export type Delta =
  | { kind: 'text' | 'thought'; text: string }
  /** `name` comes with the first piece of a call. */
  | { kind: 'tool'; id: string; name?: string; text: string };

export interface AnswerReader {
  readonly answer: AnswerSoFar;
  /** One event of a stream: the text of its data, and its name where it has one. Never throws. */
  event(data: string, name?: string): void;
  /** The whole body of an answer that was not streamed. Never throws. */
  whole(body: string): void;
}
