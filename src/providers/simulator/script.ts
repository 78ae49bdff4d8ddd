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
  /** Of what shape a plan is, where the prompt asks for one. */
  plan?: { steps: number; waves: number };
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

const REPLY_FOR = /^reply for=(\S+)$/;

/** Reads the directives anywhere in a prompt, in one pass. */
export function readScript(prompt: string, streamId = ''): Script {
  const script: Script = { artifact: 'json' };
  let ownReply: string | undefined;
  let at = prompt.indexOf(OPEN);
  while (at >= 0) {
    const end = prompt.indexOf(CLOSE, at + OPEN.length);
    if (end < 0) break;
    const inner = prompt.slice(at + OPEN.length, end);
    let next = end + CLOSE.length;
    const onlyFor = REPLY_FOR.exec(inner)?.[1];
    if (inner === 'reply' || onlyFor !== undefined) {
      const replyEnd = prompt.indexOf(REPLY_END, next);
      if (replyEnd < 0) {
        script.problem ??= `[[sim:${inner}]] needs ${REPLY_END} after its text`;
        break;
      }
      const reply = prompt.slice(next, replyEnd);
      if (onlyFor === undefined) script.reply = reply;
      else if (onlyFor === streamId) ownReply = reply;
      next = replyEnd + REPLY_END.length;
    } else {
      const problem = applyDirective(script, inner);
      if (problem !== undefined) script.problem ??= problem;
    }
    at = prompt.indexOf(OPEN, next);
  }
  // What was written for this stream alone counts, wherever it stands.
  if (ownReply !== undefined) script.reply = ownReply;
  return script;
}
