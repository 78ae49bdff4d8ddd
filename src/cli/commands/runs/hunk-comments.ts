// Comments on hunks at the terminal: asked for below a hunk, shown with it, changed and taken away.
import { randomUUID } from 'node:crypto';
import {
  linesText,
  newRangeOf,
  split,
  textAfter,
  textBefore,
} from '../../../orchestrator/index.ts';
import type { Hunk, ReviewComment, ReviewedFile } from '../../../orchestrator/index.ts';
import { ask, askLines } from '../../terminal/ask.ts';
import { harmless } from '../../terminal/diff-colours.ts';
import { editText } from '../../terminal/edit-text.ts';
import { complain, styledNote } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';

export interface HunkComments {
  /** Grows and shrinks with the answers. */
  comments: Map<string, ReviewComment>;
  onChange(): Promise<void>;
}

/** As long as the server takes it. */
const LONGEST = 20_000;

interface Anchor extends Pick<ReviewComment, 'side' | 'line' | 'endLine'> {
  quoted: string;
}

/** Lines counted from 0, the last not included. */
interface Lines {
  from: number;
  to: number;
}

function quotedFrom(text: string, { from, to }: Lines): string {
  const lines = text.split('\n').slice(from, to);
  let quoted = '';
  for (const line of lines) {
    if (quoted.length + line.length >= LONGEST) break;
    quoted += `${line}\n`;
  }
  return quoted;
}

const WHOLE: Anchor = { side: 'new', line: 0, quoted: '' };

const anchorAt = (text: string, side: 'old' | 'new', { from, to }: Lines): Anchor => ({
  side,
  line: from + 1,
  ...(to - from > 1 && { endLine: to }),
  quoted: quotedFrom(text, { from, to }),
});

/** What the hunk changes: the lines that come, or where none do, those that go. */
function anchorOf(file: ReviewedFile, hunk: Hunk): Anchor {
  if (hunk.kind !== 'lines') return WHOLE;
  const [first, last] = [hunk.changes[0]!, hunk.changes.at(-1)!];
  const added = { from: first.newAt, to: last.newAt + last.added.length };
  if (added.to > added.from) return anchorAt(textAfter(file), 'new', added);
  const removed = { from: first.oldAt, to: last.oldAt + last.removed };
  return anchorAt(textBefore(file), 'old', removed);
}

type Words = { text: string; anchor: Anchor } | { why: string };

/** `14: words` and `14-16: words` are about those lines of the new file. */
function readWords(file: ReviewedFile, hunk: Hunk, said: string): Words {
  const found = /^(\d{1,8})(?:-(\d{1,8}))?:\s*([^]*)$/.exec(said);
  if (found === null || hunk.kind !== 'lines') return { text: said, anchor: anchorOf(file, hunk) };
  const [line, endLine] = [Number(found[1]), Number(found[2] ?? found[1])];
  const { from, to } = newRangeOf(hunk);
  if (line <= from || endLine > to || endLine < line) {
    return { why: `The hunk has the lines ${from + 1} to ${to} of the new file.` };
  }
  const anchor = anchorAt(textAfter(file), 'new', { from: line - 1, to: endLine });
  return { text: found[3]!, anchor };
}

const asBelow = (text: string) =>
  harmless(text)
    .trimEnd()
    .split('\n')
    .map((line) => `  | ${line}`)
    .join('\n');

const MOST_QUOTED = 6;

export function commentText(
  comment: ReviewComment,
  { isOutdated }: { isOutdated: boolean },
): string {
  const where = linesText(comment);
  const words = comment.text.trim() === '' ? 'suggests:' : comment.text.trim();
  const said = [asBelow(words)];
  if (comment.suggestion !== undefined) said.push(asBelow(comment.suggestion));
  if (!isOutdated || comment.quoted === '') {
    return [`  ${where}${isOutdated ? ', outdated' : ''}`, ...said].join('\n');
  }
  // Never on other lines: those that it was about are shown with it.
  const lines = harmless(comment.quoted).trimEnd().split('\n');
  const shown = lines.slice(0, MOST_QUOTED).map((line) => `    ${line}`);
  const more = lines.length > MOST_QUOTED ? ['    ...'] : [];
  return [`  ${where}, outdated. It was about:`, ...shown, ...more, ...said].join('\n');
}

/** Also on the pieces of one that is shown whole again. */
function onHunk(comments: ReadonlyMap<string, ReviewComment>, file: ReviewedFile, hunk: Hunk) {
  const ids = new Set([hunk.id, ...split(file, hunk).map(({ id }) => id)]);
  return [...comments].filter(([, { hunk: id }]) => id !== undefined && ids.has(id));
}

/** Below a hunk. */
export function showComments(
  { comments }: HunkComments,
  { file, hunk }: { file: ReviewedFile; hunk: Hunk },
): void {
  for (const [at, [, comment]] of onHunk(comments, file, hunk).entries()) {
    complain(styledNote('yellow', `Comment ${at + 1}`));
    complain(commentText(comment, { isOutdated: false }));
  }
}

const HOW = `Comment on this hunk; begin with 14: or 14-16: for those lines of the new file.
An empty line ends it, and e as the first line opens your editor.`;

async function askWords(text: string, signal: AbortSignal): Promise<string> {
  complain(HOW);
  const said = await askLines('> ', signal);
  if (said.trim() !== 'e') return said.trim();
  const edited = await editText('Writing a comment', { name: 'comment.txt', text });
  return (edited ?? '').trim();
}

/** Undefined when nothing was said. */
async function askComment(
  file: ReviewedFile,
  hunk: Hunk,
  { before, signal }: { before: string; signal: AbortSignal },
): Promise<ReviewComment | undefined> {
  for (;;) {
    const said = await askWords(before, signal);
    if (said === '' || signal.aborted) return undefined;
    const words = readWords(file, hunk, said.toWellFormed().replaceAll('\0', ''));
    if ('why' in words) complain(plain(words.why));
    else if (words.text.length > LONGEST) complain(`Longer than ${LONGEST} characters.`);
    else if (words.text !== '') {
      const { text, anchor } = words;
      return { path: file.change.path, hunk: hunk.id, text, ...anchor };
    }
  }
}

/** A new one, or another instead of one that is there. True when the hunk has a comment afterwards. */
export async function changeComments(
  { comments, onChange }: HunkComments,
  { file, hunk, signal }: { file: ReviewedFile; hunk: Hunk; signal: AbortSignal },
): Promise<boolean> {
  const own = onHunk(comments, file, hunk);
  const chosen = own.length === 0 ? 'a' : await askWhich(own.length, signal);
  const nth = Number(chosen.slice(1) || 1);
  const [id, comment] = own[nth - 1] ?? [];
  if (chosen.startsWith('r') && id !== undefined) comments.delete(id);
  else if (chosen !== '') {
    const isChange = chosen.startsWith('c') && id !== undefined;
    const before = isChange ? comment!.text : '';
    const said = await askComment(file, hunk, { before, signal });
    if (said === undefined) return false;
    comments.set(isChange ? id : randomUUID(), said);
  }
  await onChange();
  return onHunk(comments, file, hunk).length > 0;
}

/** `a`, or what becomes of which of them; empty when it was given up. */
async function askWhich(count: number, signal: AbortSignal): Promise<string> {
  const nth = count === 1 ? '' : ` and its number, as in c${count}`;
  const said = await ask(`Add a comment, change or remove one${nth}? [a,c,r]: `, signal);
  const [, kind, number = '1'] = /^([acr])(\d{0,4})$/.exec(said) ?? [];
  if (kind === undefined || (kind !== 'a' && Number(number || 1) > count)) return '';
  return kind === 'a' ? kind : `${kind}${number || 1}`;
}
