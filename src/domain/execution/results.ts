// What an execution returns at its end: one consistent set of artifacts and a summary. Applied
// one after the other in this order, each artifact finds what it was made for.
import { estimateTokenCount } from 'tokenx';
import type { Artifact, Operation } from '../../contract/artifact.ts';
import type { Price } from '../usage/largest-cost.ts';
import { createFileTree } from './file-tree.ts';
import { ancestorsOf, inOrder } from './model.ts';
import type { PlanResult, PlannedStep, Step } from './model.ts';

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
        const message = `Steps ${streams.join(' and ')} both changed ${operation.path}, and neither depends on the other.`;
        return { kind: 'conflict', path: operation.path, streams, message };
      }
      changes.set(key, [...earlier, change]);
    }
  }
  return undefined;
}

/** A whole text or a delete is meant for the file as it came with the task, and for no other. */
function guarded(
  operation: Operation,
  given: string | undefined,
  hashOf: (text: string) => string,
): Operation {
  const isWhole = operation.type === 'edit' && 'content' in operation;
  if (given === undefined || !(isWhole || operation.type === 'delete')) return operation;
  return { ...operation, baseSha256: hashOf(given) };
}

export function mergeArtifacts(
  done: readonly DoneStep[],
  contents: Readonly<Record<string, string>>,
  hashOf: (text: string) => string,
): Merged {
  const steps = inOrder(done);
  const conflict = findConflict(steps);
  if (conflict) return conflict;
  const tree = createFileTree(contents);
  const givenTexts = new Map(Object.entries(contents));
  const touched = new Set<string>();
  const artifacts: Artifact[] = [];
  for (const { artifact, streamId } of steps) {
    const operations: Artifact['operations'] = [];
    for (const operation of artifact.operations) {
      const played = tree.play(operation);
      if (played.kind === 'misfit') {
        const { path } = played;
        const message = `Step ${streamId} conflicts with earlier steps: ${played.message}.`;
        return { kind: 'conflict', path, streams: [streamId], message };
      }
      const isFirst = !touched.has(operation.path);
      touched.add(operation.path);
      const given = isFirst ? givenTexts.get(operation.path) : undefined;
      operations.push(guarded(played.operation, given, hashOf));
    }
    artifacts.push({ ...artifact, operations });
  }
  return { kind: 'merged', artifacts };
}

/** What a step's answer usually comes to. */
const USUAL_OUTPUT = 1500;

const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

export function filesChangedBy(artifacts: readonly Artifact[]): string[] {
  return [...new Set(artifacts.flatMap(({ filesChanged }) => filesChanged))];
}

export function changedSummary(artifacts: readonly Artifact[]): string {
  const files = plural(filesChangedBy(artifacts).length, 'file');
  return `${plural(artifacts.length, 'step')} changed ${files}.`;
}

export function completedSummary(artifacts: readonly Artifact[]): string {
  const lines = artifacts
    .filter(({ summary }) => summary !== '')
    .map(({ streamId, summary }) => `- ${streamId}: ${summary}`);
  return [changedSummary(artifacts), ...lines].join('\n');
}

export function endedSummary(
  how: 'failed' | 'cancelled',
  steps: { done: number; total: number },
  reason = '',
): string {
  const where =
    steps.total === 0 ? 'while planning' : `after ${steps.done} of ${plural(steps.total, 'step')}`;
  const said = how === 'failed' ? 'Failed' : 'Cancelled';
  return `${said} ${where}${reason === '' ? '' : `: ${reason}`}${/[.!?]$/.test(reason) ? '' : '.'}`;
}

export function planResult(
  steps: readonly PlannedStep[],
  prompts: readonly string[],
  price: (usage: Parameters<Price>[2]) => number | null,
): PlanResult {
  const waves: string[][] = [];
  for (const { wave, streamId } of steps) {
    while (waves.length < wave) waves.push([]);
    waves[wave - 1]!.push(streamId);
  }
  const input = prompts.reduce((sum, prompt) => sum + estimateTokenCount(prompt), 0);
  const output = USUAL_OUTPUT * steps.length;
  const usage = { input, output, cacheRead: 0, cacheWrite: 0, estimated: true };
  return {
    streams: steps.map(({ streamId, name, wave, deps, owns, reads, plan }) => ({
      streamId,
      name,
      wave,
      deps,
      owns,
      reads,
      plan,
    })),
    waves,
    estimatedTokens: input + output,
    estimatedCostUsd: price(usage),
  };
}
