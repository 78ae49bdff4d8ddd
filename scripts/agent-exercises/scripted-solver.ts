// A model that does each exercise wrongly at first, by either way: with tools it reads, edits, runs the test and corrects;
// as an answer it is asked again when the test has failed.
import type { ModelCall, Scripted } from '../../test/support/scripted-model.ts';
import { EXERCISES, sourceOf } from './exercises.ts';
import type { Exercise } from './exercises.ts';

const NOT_WRITTEN = "throw new Error('not written');";

function exerciseIn({ prompt }: ModelCall): Exercise {
  const found = EXERCISES.find(({ id }) => prompt.includes(`Exercise ${id}:`));
  if (found === undefined) throw new Error('No exercise is asked for.');
  return found;
}

function withTools(call: ModelCall, exercise: Exercise): Scripted {
  const { id, wrong, right } = exercise;
  const path = `src/${id}.mjs`;
  const turn = (name: string, args: object) => ({ text: '', calls: [{ name, args }] });
  const edit = (oldText: string, newText: string) =>
    turn('edit', { path, edits: [{ oldText, newText }] });
  const test = turn('run', { command: `node test/${id}.test.mjs` });
  const last = call.messages.at(-1)?.content ?? '';
  const steps = [
    {
      text: 'I read the function and its test.',
      calls: [path, `test/${id}.test.mjs`].map((each) => ({ name: 'read', args: { path: each } })),
    },
    edit(NOT_WRITTEN, wrong),
    test,
    edit(wrong, right),
    test,
    turn('done', { summary: `${id} is written.` }),
  ];
  const number = call.messages.filter(({ role }) => role === 'assistant').length;
  const passed = typeof last === 'string' && last.startsWith('Exit code 0');
  return (number > 2 && passed ? steps.at(-1) : steps[number]) ?? steps.at(-1)!;
}

function asAnswer({ prompt }: ModelCall, exercise: Exercise): Scripted {
  const body = prompt.includes('# What went wrong') ? exercise.right : exercise.wrong;
  const text = sourceOf(exercise, body);
  return `Here it is.\n\n\`\`\`\`millrace-edits\nsummary: Written\n\nedit: src/${exercise.id}.mjs\n\`\`\`\n${text}\`\`\`\n\`\`\`\`\n`;
}

export function solve(call: ModelCall): Scripted {
  const exercise = exerciseIn(call);
  const isLoop =
    call.messages.some(({ role }) => role === 'system') && /call done/.test(call.prompt);
  return isLoop ? withTools(call, exercise) : asAnswer(call, exercise);
}
