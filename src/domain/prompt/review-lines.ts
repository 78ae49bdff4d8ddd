// What a person asks for in the review of work that is done, as the task of a fix.
import { linesText } from '../review/comment.ts';
import type { ReviewComment } from '../review/comment.ts';
import type { HeldChanges } from '../review/held-changes.ts';
import { headAndTailOf, quoted, stripTerminal } from './prompt-text.ts';

export interface ReviewRequest {
  comments: readonly ReviewComment[];
  /** Nothing of the changes is written yet. */
  held?: HeldChanges | undefined;
}

const ABOUT = `# Changes that a review asks for

The task above is done, and the files are as it and the review left them: what the review turned down is gone. A person has looked through the changes and asks for what follows. Make these changes and nothing else; keep every other line as it is.`;

const KEPT_DIFF = 64 * 1024;

function aboutHeld({ diff, settled }: HeldChanges): string[] {
  const left =
    diff === ''
      ? 'Nothing is left of it in the files that the comments below are about.'
      : `In the files that the comments below are about, this is left of it:\n${quoted(headAndTailOf(stripTerminal(diff), KEPT_DIFF), 'diff')}`;
  return [
    `# Changes that a review asks for

The task above was done, and a person has looked through the changes before they are written: the files are still as they were before the task. What the person turned down is gone. ${left}`,
    'Make these changes again, all of them, with what the person asks for and nothing else.',
    ...(settled.length > 0
      ? [
          `The changes of these files are kept as the review left them. Leave them out: what you change in them does not count.\n${settled.map((path) => `- ${path}`).join('\n')}`,
        ]
      : []),
  ];
}

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

export function reviewLines({ comments, held }: ReviewRequest): string[] {
  const about = held === undefined ? [ABOUT] : aboutHeld(held);
  return [...about, ...comments.flatMap((comment, at) => commentLines(comment, at + 1))];
}
