// What people who may push have asked for on the requests of a branch, and which of their checks have failed. What others
// say is only listed: nothing starts by it.
import type { FailedCheck, Forge, PullRequest } from '../../../git/forges/forge.ts';
import type { RequestComment } from '../../../git/forges/forge.ts';
import { failingPart } from '../../../domain/run/failing-part.ts';
import type { Comments, ReviewComment } from '../../../domain/review/comment.ts';
import { sha256 } from '../../../platform/sha256.ts';
import { pathInProject, placeComment } from './place-comment.ts';
import type { BranchFiles } from './place-comment.ts';
import type { AskedCheck, AskedComment, RequestRecord } from './request-record.ts';

const LONGEST_LOG = 12_000;
const LONGEST_NAME = 200;

export interface SaidComment {
  number: number;
  comment: RequestComment;
  /** Whether the author may push to the repository. */
  mayWrite: boolean;
}

/** By the id that the forge gives it, the same every time. */
const idOf = (...words: (string | number)[]) => sha256(JSON.stringify(words)).slice(0, 24);

export const idOfComment = (number: number, { id }: RequestComment) => idOf(number, id);

/** What is said on requests that are open. */
export async function listComments(
  forge: Forge,
  requests: readonly PullRequest[],
): Promise<SaidComment[]> {
  const writers = new Map<string, Promise<boolean>>();
  const mayWrite = (author: string) => {
    const known = writers.get(author) ?? forge.mayWrite(author);
    writers.set(author, known);
    return known;
  };
  const all: SaidComment[] = [];
  for (const { number } of requests) {
    for (const { comments } of await forge.reviews(number)) {
      for (const comment of comments) {
        all.push({ number, comment, mayWrite: await mayWrite(comment.author) });
      }
    }
  }
  return all;
}

/** Of a run: which file stands for what is said about no file. */
export interface RunFiles {
  /** Written last, the last one first. */
  paths: readonly string[];
}

/** The file that a text names most, or the one that was written last: its stream does what is asked for. */
function fileFor(text: string, { paths }: RunFiles): string | undefined {
  let best = paths[0];
  let most = 0;
  for (const path of paths) {
    const times = text.split(path).length - 1;
    if (times > most) [best, most] = [path, times];
  }
  return best;
}

function checkComment(
  { name, url, log }: FailedCheck,
  { commit, files }: { commit: string; files: RunFiles },
): ReviewComment | undefined {
  const part = log === undefined ? '' : failingPart(log, LONGEST_LOG);
  const path = fileFor(part, files);
  if (path === undefined) return undefined;
  const shown = name.replaceAll(/\s+/g, ' ').slice(0, LONGEST_NAME);
  const printed =
    part === ''
      ? `What it printed cannot be read${url === undefined ? '' : `; it is at ${url}`}.`
      : 'The end of what it printed is quoted.';
  return {
    path,
    side: 'new',
    line: 0,
    text: `The check "${shown}" of the pull request failed on commit ${commit.slice(0, 12)}. ${printed} Find the cause and remove it; do not weaken the check.`,
    quoted: part.replaceAll('\0', '').toWellFormed(),
  };
}

export interface Gathered {
  /** As parts of one review, by their ids. */
  review: Comments;
  comments: AskedComment[];
  checks: AskedCheck[];
  /** Of people who may not push. */
  strangers: SaidComment[];
}

export async function gatherComments(
  forge: Forge,
  requests: readonly PullRequest[],
  {
    known,
    branch,
    files,
  }: { known: Pick<RequestRecord, 'handled'>; branch: BranchFiles; files: RunFiles },
): Promise<Gathered> {
  const isHandled = new Set(known.handled);
  const review = new Map<string, ReviewComment>();
  const gathered: Gathered = { review, comments: [], checks: [], strangers: [] };
  for (const said of await listComments(forge, requests)) {
    const { number, comment, mayWrite } = said;
    const id = idOfComment(number, comment);
    if (isHandled.has(id)) continue;
    if (!mayWrite) {
      gathered.strangers.push(said);
      continue;
    }
    if (comment.text.trim() === '' && comment.suggestion === undefined) continue;
    const { place } = comment;
    const path =
      place === undefined ? fileFor(comment.text, files) : pathInProject(branch, place.path);
    if (path === undefined) continue;
    review.set(id, await placeComment(branch, comment, path));
    gathered.comments.push({ id, number, comment });
  }
  for (const { number, commit } of requests) {
    for (const check of await forge.failedChecks(commit)) {
      const id = idOf(number, check.name, commit);
      const comment = isHandled.has(id) ? undefined : checkComment(check, { commit, files });
      if (comment === undefined) continue;
      review.set(id, comment);
      gathered.checks.push({ id, number, name: check.name, commit });
    }
  }
  return gathered;
}
