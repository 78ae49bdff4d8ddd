// One consistent set of artifacts from those of all steps: applied one after the other in this
// order, each finds what it was made for.
import type { Artifact } from '../../contract/artifact.ts';
import { createFileTree } from './file-tree.ts';
import { ancestorsOf, inOrder } from './step-graph.ts';
import type { Step } from './model.ts';

export type DoneStep = Pick<Step, 'position' | 'wave' | 'waitsFor' | 'streamId'> & {
  artifact: Artifact;
};

export type Merged =
  | { kind: 'merged'; artifacts: Artifact[] }
  /** `streams`: those whose changes contradict each other. */
  | { kind: 'conflict'; path: string; streams: string[]; message: string };

interface Change {
  step: DoneStep;
  operation: string;
}

/** Two steps without an order between them that changed the same file in different ways. */
function findConflict(steps: readonly DoneStep[]): Merged | undefined {
  const changes = new Map<string, Change[]>();
  for (const step of steps) {
    const before = ancestorsOf(steps, step.position);
    for (const operation of step.artifact.operations) {
      // On some file systems names that differ only by case are the same file.
      const key = operation.path.toLowerCase();
      const earlier = changes.get(key) ?? [];
      const change = { step, operation: JSON.stringify(operation) };
      const rival = earlier.find(
        (other) => !before.has(other.step.position) && other.operation !== change.operation,
      );
      if (rival) {
        const streams = [rival.step.streamId, step.streamId];
        const message = `The steps ${streams.join(' and ')} both changed ${operation.path}, and neither waits for the other.`;
        return { kind: 'conflict', path: operation.path, streams, message };
      }
      changes.set(key, [...earlier, change]);
    }
  }
  return undefined;
}

export function mergeArtifacts(
  done: readonly DoneStep[],
  contents: Readonly<Record<string, string>>,
): Merged {
  const steps = inOrder(done);
  const conflict = findConflict(steps);
  if (conflict) return conflict;
  const tree = createFileTree(contents);
  const artifacts: Artifact[] = [];
  for (const { artifact, streamId } of steps) {
    const operations: Artifact['operations'] = [];
    for (const operation of artifact.operations) {
      const played = tree.play(operation);
      if (played.kind === 'misfit') {
        const { path } = played;
        const message = `The step ${streamId} does not fit the ones before it: ${played.message}.`;
        return { kind: 'conflict', path, streams: [streamId], message };
      }
      operations.push(played.operation);
    }
    artifacts.push({ ...artifact, operations });
  }
  return { kind: 'merged', artifacts };
}
