// What a request asks for, whatever its protocol: the turns so far, the tools and the limits.

export interface OfferedTool {
  name: string;
  /** JSON schema of the arguments. */
  schema: unknown;
  /** Its argument is a text without a schema, as OpenAI's custom tools have it. */
  isFreeText: boolean;
}

export type ToolChoice = { kind: 'auto' | 'none' | 'any' } | { kind: 'tool'; name: string };

/** All that one side says before the other one does. */
export interface Turn {
  from: 'user' | 'model';
  text: string;
  /** Ids of calls, where the protocol has ids. */
  calls: (string | undefined)[];
  /** Ids of the calls that are answered. */
  results: (string | undefined)[];
  /** What the results and the arguments of calls say. */
  data: string;
  images: number;
  /** The caller wants the prompt kept up to here. */
  isMarked: boolean;
}

export interface Conversation {
  model: string;
  system: string;
  turns: Turn[];
  tools: OfferedTool[];
  choice: ToolChoice;
  maxTokens: number | undefined;
  stops: string[];
  /** JSON schema of the answer. */
  schema: unknown;
  /** The answer is the value of the schema itself, without JSON around it. */
  isBare: boolean;
  /** What later calls may find in the prompt cache: every turn, or what the caller marks. */
  keeps: 'all' | 'marked';
  /** The system prompt or the tools have such a mark. */
  isSystemMarked: boolean;
}

/** A body that a vendor would refuse; `field` is what is wrong with it. */
export class RefusedBody extends Error {
  override name = 'RefusedBody';
  readonly field: string | null;

  /** Without the words that say who refuses. */
  get reason(): string {
    return this.message.replace(/^Simulated failure: /, '');
  }

  constructor(message: string, field: string | null = null) {
    super(message);
    this.field = field;
  }
}

/** The first turn of the exchange that is under way: what the user said last, not counting answers to calls. */
export function exchangeStart(turns: readonly Turn[]): number {
  return turns.findLastIndex(
    ({ from, results, text }) =>
      from === 'user' && (results.length === 0 || text.includes('[[sim:')),
  );
}

/** Every call needs its result and every result its call, or the vendor refuses the whole. */
export function checkResults(
  turns: readonly Turn[],
  words: { unanswered(id: string): string; unknown(id: string): string },
): void {
  const called = new Set<string>();
  const answered = new Set<string>();
  for (const { calls, results } of turns) {
    for (const id of calls) if (id !== undefined) called.add(id);
    for (const id of results) {
      if (id === undefined) continue;
      if (!called.has(id)) throw new RefusedBody(words.unknown(id));
      answered.add(id);
    }
  }
  // The last turn of a model may be a beginning that the caller wants continued.
  for (const id of called) if (!answered.has(id)) throw new RefusedBody(words.unanswered(id));
}
