// Which files a step is shown, and in which order: what it changes, what it reads, what the steps
// before it changed, then the rest of what came with the task, as long as there is room.
import type { Operation } from '../../contract/artifact.ts';
import type { ContextFile, ContextRole, OmittedFile, StreamContext } from '../run/context-files.ts';
import { estimateTokens } from './budget.ts';
import type { FileTree } from './file-tree.ts';
import type { ExecutionContext, PlannedStep } from './model.ts';
import { coverageOf } from './read-answer.ts';

export type Sha256 = (text: string) => string;

/** Characters: models take about a quarter as many tokens, and the answer needs room, too. */
const ROOM = 400_000;

interface Candidate {
  path: string;
  role: ContextRole;
  text: string;
}

const RANK: readonly ContextRole[] = ['owned', 'read', 'import', 'named'];

export function pickFiles(candidates: readonly Candidate[], sha256: Sha256): StreamContext {
  const files: ContextFile[] = [];
  const omitted: OmittedFile[] = [];
  let room = ROOM;
  let tokens = 0;
  const sorted = candidates.toSorted(
    (a, b) => RANK.indexOf(a.role) - RANK.indexOf(b.role) || (a.path < b.path ? -1 : 1),
  );
  for (const { path, role, text } of sorted) {
    if (text.length > room) {
      omitted.push({ path, reason: 'there was no room for it', bytes: text.length });
      continue;
    }
    room -= text.length;
    const count = estimateTokens(text);
    tokens += count;
    files.push({ path, role, text, sha256: sha256(text), included: 'full', tokens: count });
  }
  return { files, omitted, tokens };
}

export interface ShownFiles extends StreamContext {
  /** Changes of earlier steps to files that nobody has shown. */
  blind: Operation[];
}

export function filesForStep(
  step: PlannedStep,
  context: ExecutionContext,
  tree: FileTree,
  sha256: Sha256,
): ShownFiles {
  const changed = tree.changed();
  const paths = new Set([...Object.keys(context.contents), ...changed.keys()]);
  const candidates: Candidate[] = [];
  const [isOwned, isRead] = [coverageOf(step.owns), coverageOf(step.reads)];
  for (const path of paths) {
    const text = tree.textOf(path);
    if (typeof text !== 'string') continue;
    const role: ContextRole = isOwned(path)
      ? 'owned'
      : isRead(path)
        ? 'read'
        : changed.has(path)
          ? 'import'
          : 'named';
    candidates.push({ path, role, text });
  }
  const picked = pickFiles(candidates, sha256);
  const named = context.files
    .filter((path) => !paths.has(path))
    .map((path) => ({ path, reason: 'its text was not sent along', bytes: 0 }));
  return {
    ...picked,
    omitted: [...picked.omitted, ...named],
    blind: [...changed.values()].flat(),
  };
}
