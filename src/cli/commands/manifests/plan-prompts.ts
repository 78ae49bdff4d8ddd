// The prompts that the streams of a manifest would be asked with, as the project is now.
import type { Manifest } from '../../../manifest/model.ts';
import { createContextCollector } from '../../../orchestrator/context/collect.ts';
import { sharedReadsOf } from '../../../orchestrator/run/shared-reads.ts';
import { promptOf } from '../../../orchestrator/run/stream-prompt.ts';
import { toTask } from '../../../orchestrator/run/task.ts';
import type { ModelDefaults } from '../../../orchestrator/run/task.ts';

/** Of more streams the estimate comes from the sizes of their files: nobody waits minutes for a plan. */
const MOST_STREAMS = 200;

export type StreamPrompts = ReadonlyMap<string, { prompt: string; streamContext: string }>;

/** `ids`: the streams that would run. */
export async function readPrompts(
  root: string,
  manifest: Manifest,
  ids: readonly string[],
  defaults: ModelDefaults,
): Promise<StreamPrompts> {
  const prompts = new Map<string, { prompt: string; streamContext: string }>();
  if (ids.length > MOST_STREAMS) return prompts;
  const tasks = ids.map((id) => toTask(manifest, manifest.streams.get(id)!, defaults));
  const collector = createContextCollector({ root });
  const sharedReads = sharedReadsOf(tasks);
  const emit = () => undefined as never;
  for (const task of tasks) {
    const built = await promptOf(
      { collector, sharedReads, emit },
      { task, attempt: 1, fix: undefined },
    );
    const { streamContext } = built.structuredPrompt;
    prompts.set(task.id, { prompt: built.prompt, streamContext });
  }
  return prompts;
}
