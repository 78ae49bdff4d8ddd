// What a model thought before it answered, where its text has that in front. A draft in it is no answer.
import { endOfLine, findFences } from './fences.ts';

const OPEN = /^[ \t]*<(think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis)>/i;
const LATE = ['</think>', '</thinking>', '</reasoning>'];

export function withoutThinking(text: string): string {
  let from = 0;
  for (let start = 0; start < text.length;) {
    const end = endOfLine(text, start);
    const line = text.slice(start, Math.min(end, start + 200));
    const name = OPEN.exec(line)?.[1];
    if (name !== undefined) {
      const close = closeOf(text, name, start);
      // Never ended: there is nothing but thoughts.
      if (close < 0) return text.slice(0, start);
      from = close;
      start = close;
      continue;
    }
    // The answer has begun; what looks like thoughts in it is text of files.
    if (line.trim() !== '' && isAnswer(line)) break;
    start = end + 1;
  }
  return from > 0 ? text.slice(from) : withoutLateEnd(text);
}

function isAnswer(line: string): boolean {
  return /^ {0,3}(?:```|~~~|<|[{[]|diff --git |\*\*\* |(?:[#*>-]+ ?)?(?:create|edit|delete|read):)/i.test(
    line,
  );
}

function closeOf(text: string, name: string, from: number): number {
  const tag = `</${name}>`;
  const at = text.indexOf(tag, from);
  return at < 0 ? -1 : at + tag.length;
}

/** Some servers cut the opening tag off. The closing one is on a line of its own, outside of fences. */
function withoutLateEnd(text: string): string {
  const places = LATE.flatMap((tag) => {
    const at = text.startsWith(`${tag}\n`) ? 0 : text.indexOf(`\n${tag}\n`);
    return at < 0 ? [] : [{ at, end: at + tag.length + 1 }];
  });
  const [place] = places;
  if (place === undefined) return text;
  const fences = findFences(text);
  for (let fence = 0; fence < fences.count && fences.startOf(fence) < place.at;) {
    const closer = fences.closerOf(fence);
    if (closer >= 0 && fences.startOf(closer) > place.at) return text;
    fence = closer < 0 ? fence + 1 : closer + 1;
  }
  return text.slice(place.end);
}
