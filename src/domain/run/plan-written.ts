// What streams will write that others are shown later: it is not on disk yet, but will be in their
// prompts.
import type { FeatureStream, WorkflowStream } from '../../manifest/model.ts';
import { patternsOverlap } from '../../manifest/patterns/overlap.ts';
import type { Pattern } from '../../manifest/patterns/pattern.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';

export interface Written {
  /** In the order in which they run. */
  add(stream: FeatureStream | WorkflowStream, outputTokens: number): void;
  /** Tokens of what those before it write and it is shown. */
  seenBy(stream: FeatureStream | WorkflowStream): number;
}

/** Each stream is compared with all before it: of very many the estimate does without. */
const MOST_STREAMS = 500;

/** `count`: how many there are. */
export function createWritten(count: number): Written {
  if (count > MOST_STREAMS) return { add: () => {}, seenBy: () => 0 };
  const before: { patterns: Pattern[]; tokens: number }[] = [];
  return {
    add(stream, tokens) {
      if (!('owns' in stream) || stream.owns.length === 0 || tokens === 0) return;
      before.push({ patterns: patternsOf(stream.owns), tokens });
    },
    seenBy(stream) {
      if (!('owns' in stream) || before.length === 0) return 0;
      const shown = patternsOf([...stream.owns, ...stream.reads]);
      let sum = 0;
      for (const { patterns, tokens } of before) {
        const isSeen = patterns.some((one) => shown.some((other) => patternsOverlap(one, other)));
        if (isSeen) sum += tokens;
      }
      return sum;
    },
  };
}
