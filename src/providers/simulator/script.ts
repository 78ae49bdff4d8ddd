import type { FailureKind } from '../provider.ts';
import { applyDirective } from './directives.ts';

/** What the directives of a prompt ask for. */
export interface Script {
  ttftMs?: number;
  chunkMs?: number;
  tokens?: number;
  hang?: boolean;
  artifact: 'json' | 'edits' | 'bad' | 'none';
  reply?: string;
  failure?: ScriptedFailure;
  /** A directive that is not understood: the answer is a refusal that says so. */
  problem?: string;
}

export interface ScriptedFailure {
  kind: FailureKind;
  afterTokens: number;
  /** How many calls fail before one succeeds; without it, all of them. */
  times?: number;
  retryAfterMs?: number;
}

const OPEN = '[[sim:';
const CLOSE = ']]';
const REPLY_END = '[[/sim:reply]]';

/** Reads the directives anywhere in a prompt, in one pass. */
export function readScript(prompt: string): Script {
  const script: Script = { artifact: 'json' };
  let at = prompt.indexOf(OPEN);
  while (at >= 0) {
    const end = prompt.indexOf(CLOSE, at + OPEN.length);
    if (end < 0) break;
    const inner = prompt.slice(at + OPEN.length, end);
    let next = end + CLOSE.length;
    if (inner === 'reply') {
      const replyEnd = prompt.indexOf(REPLY_END, next);
      if (replyEnd < 0) {
        script.problem ??= `[[sim:reply]] needs ${REPLY_END} after its text`;
        break;
      }
      script.reply = prompt.slice(next, replyEnd);
      next = replyEnd + REPLY_END.length;
    } else {
      const problem = applyDirective(script, inner);
      if (problem !== undefined) script.problem ??= problem;
    }
    at = prompt.indexOf(OPEN, next);
  }
  return script;
}
