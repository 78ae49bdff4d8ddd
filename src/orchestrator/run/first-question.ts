// What a stream asks first.
import { NEW_DIALOGUE, shownBy } from '../../domain/run/dialogue.ts';
import { toJob } from './ask-model.ts';
import type { Question } from './ask-model.ts';
import type { Attempt, RunContext } from './context.ts';
import { promptOf } from './stream-prompt.ts';

export async function firstQuestion(context: RunContext, start: Attempt): Promise<Question> {
  const { shown, ...built } = await promptOf(context, start);
  const dialogue = { ...NEW_DIALOGUE, shown: shownBy(shown) };
  return { job: toJob(context, start, built), dialogue };
}
