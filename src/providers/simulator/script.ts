import { endOfCalls } from './call-directive.ts';
import { applyDirective } from './directives.ts';
import type { Script } from './script-model.ts';

const OPEN = '[[sim:';
const CLOSE = ']]';
const REPLY_END = '[[/sim:reply]]';

/** Each is read, and its problems are reported; no prompt needs so many. */
const MAX_DIRECTIVES = 1000;

const REPLY_FOR = /^reply for=(\S+)$/;

/** Reads the directives anywhere in a prompt, in one pass. */
export function readScript(prompt: string, streamId = ''): Script {
  const script: Script = { artifact: 'json' };
  let ownReply: string | undefined;
  let at = prompt.indexOf(OPEN);
  for (let count = 1; at >= 0; count++) {
    if (count > MAX_DIRECTIVES) {
      script.problem ??= `there are more than ${MAX_DIRECTIVES} directives`;
      break;
    }
    const start = at + OPEN.length;
    const end = endOfCalls(prompt, start) ?? prompt.indexOf(CLOSE, start);
    if (end < 0) break;
    const inner = prompt.slice(start, end);
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
