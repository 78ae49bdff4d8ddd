// What the rules of a plan know about the project of an execution: the files that came with the task. The server has
// no other, and runs nothing, so there are no commands and nothing is known of what is not among them.
import { indexRepository } from '../../manifest/compose/repository.ts';
import type { Repository } from '../../manifest/compose/repository.ts';
import { refusedPath } from '../artifact/refused-path.ts';
import { utf8Length } from '../artifact/utf8-length.ts';
import { boundedLength } from '../model/model-limits.ts';
import { BYTES_PER_TOKEN, estimateStream } from '../run/stream-estimate.ts';
import type { ExecutionContext } from './model.ts';

/** What a plan is made for. */
export interface PlannedTask {
  task: string;
  context: ExecutionContext;
  maxSteps: number;
  provider: string;
  model: string;
  /** Of the answer of each step. */
  maxTokens: number;
}

const none = (): readonly string[] => [];

export function repositoryOfTask(planned: PlannedTask): Repository {
  const { task, context, maxSteps, provider, model, maxTokens } = planned;
  const sizes = new Map(
    Object.entries(context.contents).map(([path, text]) => [path, utf8Length(text)]),
  );
  /** What the caller sent is no secret to this plan. */
  const refusalOf = (path: string) => (sizes.has(path) ? undefined : refusedPath(path));
  const paths = new Set([...sizes.keys(), ...context.files]);
  const bytesOf = (entries: readonly string[]) =>
    entries.reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0);
  return indexRepository({
    task,
    files: [...paths]
      .filter((path) => refusalOf(path) === undefined)
      .map((path) => ({ path, bytes: sizes.get(path) ?? 0 })),
    // To tell what a file imports takes its whole project: where packages are, and what their names stand for.
    importsOf: none,
    importersOf: none,
    refusalOf,
    isTest: () => false,
    setup: [],
    isSetUp: true,
    checks: [],
    estimateMs: (owns) => {
      const isKnown = owns.length > 0 && owns.every((entry) => sizes.has(entry));
      if (!isKnown) return undefined;
      const stream = { id: '', owns: [...owns], reads: [] };
      return estimateStream({ bytesOf, priceOf: () => null }, stream, {}).estimate.durationMs;
    },
    answerBytes: boundedLength(`${provider}:${model}`, maxTokens) * BYTES_PER_TOKEN,
    isForAgents: false,
    isPartial: true,
    maxStreams: maxSteps,
  });
}
