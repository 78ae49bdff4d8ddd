// A change is looked through hunk by hunk, with the keys that `git add -p` has.
import { hunksAsDecided, readEditedHunk, split, textBefore } from '../../../orchestrator/index.ts';
import type { Decision, Hunk, ReviewedFile, TextHunk } from '../../../orchestrator/index.ts';
import { ask } from '../../terminal/ask.ts';
import { colourDiff } from '../../terminal/diff-colours.ts';
import { complain, styledNote } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { editText } from '../../terminal/edit-text.ts';
import { coloursOfFile } from './hunk-colours.ts';
import { changeComments, showComments } from './hunk-comments.ts';
import type { HunkComments } from './hunk-comments.ts';

export interface HunkQuestions {
  files: readonly ReviewedFile[];
  /** Grows with every answer. */
  decisions: Map<string, Decision>;
  signal: AbortSignal;
  /** Above a file. */
  title(file: ReviewedFile, place: string): string;
  /** What is asked about a hunk, a file or a mode. */
  question(what: string): string;
  /** What the keys do, for those that differ. */
  words: { yes: string; no: string; quit: string };
  onAnswer?(): Promise<void>;
  /** Where hunks can be commented on. */
  comments?: HunkComments;
}

interface Key {
  key: string;
  text(what: string): string;
  fits?(hunk: Hunk, questions: HunkQuestions): boolean;
}

const isSplittable = (hunk: Hunk) => hunk.kind === 'lines' && hunk.changes.length > 1;

const keysFor = ({ yes, no, quit }: HunkQuestions['words']): Key[] => [
  { key: 'y', text: (what) => `${yes} this ${what}` },
  { key: 'n', text: (what) => `${no} this ${what}` },
  { key: 's', text: () => 'split this hunk into smaller ones', fits: isSplittable },
  { key: 'e', text: () => 'edit this hunk', fits: ({ kind }) => kind === 'lines' },
  {
    key: 'c',
    text: (what) => `comment on this ${what}, and leave it open`,
    fits: (_, { comments }) => comments !== undefined,
  },
  { key: 'a', text: (what) => `${yes} this ${what} and all that follow in the file` },
  { key: 'd', text: (what) => `${no} this ${what} and all that follow in the file` },
  { key: 'q', text: () => quit },
  { key: '?', text: () => 'show this list' },
];

const LONG: Readonly<Record<string, string>> = {
  yes: 'y',
  no: 'n',
  split: 's',
  edit: 'e',
  comment: 'c',
  all: 'a',
  quit: 'q',
};

function nounFor({ change }: ReviewedFile, { kind }: Hunk): string {
  if (kind === 'lines') return 'hunk';
  if (kind === 'mode') return 'mode';
  return change.after === null ? 'deletion' : 'file';
}

/** False when the person has left before the end. */
export async function askHunks(questions: HunkQuestions): Promise<boolean> {
  const { files, decisions, title } = questions;
  for (const [index, file] of files.entries()) {
    const open = hunksAsDecided(file, decisions).filter(({ id }) => !decisions.has(id));
    if (open.length === 0) continue;
    const place = `file ${index + 1} of ${files.length}`;
    complain(styledNote('bold', title(file, place)));
    complain(colourDiff(file.head.join('\n'), styledNote));
    if (!(await askFile(questions, file, open))) return false;
  }
  return true;
}

async function askFile(
  questions: HunkQuestions,
  file: ReviewedFile,
  open: Hunk[],
): Promise<boolean> {
  const { decisions, onAnswer, comments, signal } = questions;
  const decide = async (hunks: readonly Hunk[], decision: Decision) => {
    for (const { id } of hunks) decisions.set(id, decision);
    await onAnswer?.();
  };
  const colours = await coloursOfFile(file);
  let isShown = false;
  while (open.length > 0) {
    const hunk = open[0]!;
    if (!isShown) {
      if (hunk.lines.length > 0) complain(colours.show(hunk));
      if (comments !== undefined) showComments(comments, { file, hunk });
    }
    isShown = true;
    const key = await askKey(questions, file, hunk);
    if (key === 'q') return false;
    if (key === 'c') {
      const isCommented = await changeComments(comments!, { file, hunk, signal });
      if (isCommented) open.shift();
      isShown = !isCommented;
      continue;
    }
    if (key === 's') {
      open.splice(0, 1, ...split(file, hunk));
      isShown = false;
      continue;
    }
    if (key === 'e') {
      const changes = await edited(file, hunk as TextHunk);
      if (changes === undefined) continue;
      await decide([hunk], { kind: 'edited', changes });
      open.shift();
    } else {
      const takesRest = key === 'a' || key === 'd';
      const kind = key === 'y' || key === 'a' ? 'accepted' : 'rejected';
      await decide(open.splice(0, takesRest ? open.length : 1), { kind });
    }
    isShown = false;
  }
  return true;
}

async function askKey(questions: HunkQuestions, file: ReviewedFile, hunk: Hunk): Promise<string> {
  const { question, words, signal } = questions;
  const keys = keysFor(words).filter(({ fits }) => fits?.(hunk, questions) ?? true);
  const what = nounFor(file, hunk);
  const choices = keys.map(({ key }) => key).join(',');
  for (;;) {
    const said = await ask(`${question(what)} [${choices}]: `, signal);
    // Nobody there any more: nothing counts without an answer.
    if (signal.aborted || (said === '' && !process.stdin.readable)) return 'q';
    const key = LONG[said] ?? said;
    if (key !== '?' && keys.some((one) => one.key === key)) return key;
    for (const { key: name, text } of keys) complain(`${name} - ${text(what)}`);
  }
}

const ABOUT_EDITING = `# Lines that begin with - go, lines that begin with + come.
# To keep a line that goes, make its - a space. To leave out a line that comes, delete it.
# Lines that begin with # are not part of it. With no line left, nothing is decided.
`;

/** With places from the start of the hunk; undefined when it is still to be decided. */
async function edited(file: ReviewedFile, hunk: TextHunk) {
  const text = await editText('Editing a hunk', {
    name: 'hunk.diff',
    text: `${hunk.lines.join('\n')}\n${ABOUT_EDITING}`,
  });
  if (text === undefined) return undefined;
  const result = readEditedHunk(textBefore(file), hunk, text);
  if (result.kind === 'unfit') complain(`The edited hunk cannot be used: ${plain(result.why)}.`);
  if (result.kind !== 'edited') return undefined;
  return result.changes.map((change) => ({ ...change, oldAt: change.oldAt - hunk.from }));
}
