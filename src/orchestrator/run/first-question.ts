// What a stream asks first.
import { NEW_DIALOGUE, shownBy } from '../../domain/run/dialogue.ts';
import type { Dialogue } from '../../domain/run/dialogue.ts';
import type { OmittedFile } from '../../domain/run/context-files.ts';
import { createPathRule } from '../apply/allowed-path.ts';
import { toJob } from './ask-model.ts';
import type { Question } from './ask-model.ts';
import type { Attempt, RunContext } from './context.ts';
import { promptOf } from './stream-prompt.ts';

export async function firstQuestion(context: RunContext, start: Attempt): Promise<Question> {
  const { shown, ...built } = await promptOf(context, start);
  const files = [...known(context, start, shown.omitted), ...shownBy(shown)];
  return { job: toJob(context, start, built), dialogue: { ...NEW_DIALOGUE, shown: files } };
}

/** What the stream may change and the model cannot be shown: it may only be deleted as it is now. */
function known(
  { reader }: RunContext,
  { task }: Attempt,
  omitted: readonly OmittedFile[],
): Dialogue['shown'] {
  const rule = createPathRule({ owns: task.owns, protectedPaths: [] });
  return omitted.flatMap(({ path }): Dialogue['shown'] => {
    const sha256 = rule.problemWith(path) ? undefined : reader.hash(path);
    return sha256 === undefined ? [] : [[path, { sha256, extent: 'known' }]];
  });
}
