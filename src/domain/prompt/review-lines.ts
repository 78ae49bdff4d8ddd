// What a person asks for in the review of work that is done, as the task of a fix.
import { linesText } from '../review/comment.ts';
import type { ReviewComment } from '../review/comment.ts';
import { quoted, stripTerminal } from './prompt-text.ts';

export interface ReviewRequest {
  comments: readonly ReviewComment[];
}

const ABOUT = `# Changes that a review asks for

The task above is done, and the files are as it and the review left them: what the review turned down is gone. A person has looked through the changes and asks for what follows. Make these changes and nothing else; keep every other line as it is.`;

function commentLines(comment: ReviewComment, number: number): string[] {
  const { path, side, text, suggestion, quoted: seen } = comment;
  const where =
    side === 'old' ? 'The lines were, before the change:' : 'The lines, as they were seen:';
  return [
    `## ${number}. ${path}, ${linesText(comment)}`,
    ...(seen === '' ? [] : [`${where}\n${quoted(stripTerminal(seen), 'text')}`]),
    ...(text.trim() === '' ? [] : [stripTerminal(text).trim()]),
    ...(suggestion === undefined
      ? []
      : [`Suggested in their place:\n${quoted(stripTerminal(suggestion), 'text')}`]),
  ];
}

export function reviewLines({ comments }: ReviewRequest): string[] {
  return [ABOUT, ...comments.flatMap((comment, at) => commentLines(comment, at + 1))];
}
