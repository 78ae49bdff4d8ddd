// What the answer to a step's prompt comes to.
import type { Artifact } from '../../contract/artifact.ts';
import { parseArtifact } from '../artifact/parse-artifact.ts';
import { patternsOverlap } from '../../manifest/patterns/overlap.ts';
import type { Pattern } from '../../manifest/patterns/pattern.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';
import type { FileTree } from './file-tree.ts';

/** `CONFLICT`: the changes would overwrite a file that is there. */
export type RefusedCode = 'ARTIFACT_INVALID' | 'CONFLICT';

export type StepAnswer =
  | { kind: 'artifact'; artifact: Artifact }
  /** Not to be used as it is; the model may do better when it is told why. */
  | { kind: 'refused'; problems: string[]; code: RefusedCode }
  /** The model says that it cannot be done. */
  | { kind: 'given_up'; message: string };

const MAX_PROBLEMS = 20;
const MAX_SUMMARY = 500;

function asPattern(path: string): Pattern {
  const parts = path.split('/');
  const segments = parts.map((text) => ({ kind: 'literal' as const, text }));
  return { kind: 'file', parts, literalCount: parts.length, text: path, segments };
}

/** Brackets are wild in a pattern, but a plan that names `app/[id]/page.tsx` means just that. */
export function coverageOf(entries: readonly string[]): (path: string) => boolean {
  const named = new Set(entries.map((entry) => entry.replace(/^(?:\.\/)+/, '')));
  const patterns = patternsOf(entries);
  return (path) => {
    if (named.has(path)) return true;
    const file = asPattern(path);
    return patterns.some((pattern) => patternsOverlap(pattern, file));
  };
}

export function coversPath(entries: readonly string[], path: string): boolean {
  return coverageOf(entries)(path);
}

function firstSentence(text: string): string {
  const plain = text.slice(0, MAX_SUMMARY).toWellFormed().replaceAll(/\s+/g, ' ').trim();
  return /^.*?[.!?](?= |$)/.exec(plain)?.[0] ?? plain;
}

/** `tree`: the files as this step found them; it is changed. */
export function readAnswer(
  output: string,
  step: { streamId: string; owns: readonly string[] },
  tree: () => FileTree,
): StepAnswer {
  const parsed = parseArtifact(output, step.streamId);
  if (parsed.kind === 'invalid') {
    const problems = parsed.problems.slice(0, MAX_PROBLEMS);
    return { kind: 'refused', problems, code: 'ARTIFACT_INVALID' };
  }
  if (parsed.kind === 'none') {
    // Some steps have nothing to change; whoever reads the result sees that this one did not.
    const summary = `No file changes. ${firstSentence(output)}`.trim();
    const { streamId } = step;
    const artifact: Artifact = {
      streamId,
      status: 'partial',
      operations: [],
      filesChanged: [],
      summary,
    };
    return { kind: 'artifact', artifact };
  }
  const { artifact } = parsed;
  if (artifact.status === 'failed') {
    const message = artifact.summary === '' ? 'no reason was given' : artifact.summary;
    return { kind: 'given_up', message };
  }
  const isOwned = coverageOf(step.owns);
  const problems =
    step.owns.length === 0
      ? []
      : artifact.filesChanged
          .filter((path) => !isOwned(path))
          .map((path) => `${path} is outside of what this step owns (${step.owns.join(', ')})`);
  let code: RefusedCode = 'ARTIFACT_INVALID';
  if (problems.length === 0) {
    const files = tree();
    for (const operation of artifact.operations) {
      const played = files.play(operation);
      if (played.kind !== 'misfit') continue;
      problems.push(played.message);
      if (played.overwrites) code = 'CONFLICT';
    }
  }
  return problems.length === 0
    ? { kind: 'artifact', artifact }
    : { kind: 'refused', problems: problems.slice(0, MAX_PROBLEMS), code };
}
