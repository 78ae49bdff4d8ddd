// What people write in comments on a forge, and what Millrace writes there itself.
import { OWN_COMMENT_MARK } from '../../contract/own-comment.ts';

const LONGEST = 20_000;
const MARKS = ['`', '~'] as const;
const AROUND = /^:-(\d{1,6})\+(\d{1,6})$/;

export interface CommentText {
  text: string;
  /** What the lines should be instead. */
  suggestion?: string;
  /** GitLab: how many lines above and below the commented one it replaces. */
  around?: [number, number];
}

interface Fence {
  mark: string;
  length: number;
  info: string;
}

/** Opens or closes a block of code. */
function fenceOf(line: string): Fence | undefined {
  const start = line.trimStart();
  const mark = MARKS.find((one) => start.startsWith(one.repeat(3)));
  if (mark === undefined || line.length - start.length > 3) return undefined;
  let length = 3;
  while (start[length] === mark) length += 1;
  return { mark, length, info: start.slice(length).trim() };
}

/** The first suggested replacement apart from the words around it. */
export function readCommentText(body: string): CommentText {
  const plain = body.replaceAll('\r\n', '\n').slice(0, LONGEST).toWellFormed();
  const lines = plain.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const opening = fenceOf(lines[at]!);
    if (opening === undefined) continue;
    const { mark, length, info } = opening;
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((line) => {
      const fence = fenceOf(line);
      return fence?.mark === mark && fence.length >= length && fence.info === '';
    });
    if (end === -1) break;
    if (info !== 'suggestion' && !info.startsWith('suggestion:')) {
      at += end + 1;
      continue;
    }
    const text = [...lines.slice(0, at), ...rest.slice(end + 1)].join('\n').trim();
    const found = AROUND.exec(info.slice('suggestion'.length));
    return {
      text,
      suggestion: rest
        .slice(0, end)
        .map((line) => `${line}\n`)
        .join(''),
      ...(found !== null && { around: [Number(found[1]), Number(found[2])] }),
    };
  }
  return { text: plain.trim() };
}

export const marked = (text: string): string => `${text}\n\n${OWN_COMMENT_MARK}`;
export const isMarked = (body: string): boolean => body.trimEnd().endsWith(OWN_COMMENT_MARK);
