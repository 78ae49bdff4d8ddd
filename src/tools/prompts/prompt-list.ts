// The prompts as clients list them. People choose them by name, so there are few.
import type { Prompt } from '@modelcontextprotocol/server';

export const MAX_TASK = 4000;

const WORK = {
  name: 'id',
  description: 'Id of an execution (exec_...); without it, the newest run or execution',
  required: false,
};

export const PROMPTS = {
  plan_manifest: {
    title: 'Plan a task as a manifest',
    description:
      'Turns a task into a millrace.yaml for this project, to be looked at before it runs',
    arguments: [{ name: 'task', description: 'What to do, in plain words', required: true }],
  },
  review_run: {
    title: 'Review the last run or execution',
    description: 'Looks at what it changed and says what to do next',
    arguments: [WORK],
  },
  fix_failed: {
    title: 'Fix what failed in the last run or execution',
    description: 'Finds out why it failed and fixes it',
    arguments: [WORK],
  },
} as const satisfies Record<string, Omit<Prompt, 'name'>>;

export type PromptName = keyof typeof PROMPTS;

export function listPrompts(): Prompt[] {
  return (Object.keys(PROMPTS) as PromptName[]).map((name) => {
    const { title, description, ...rest } = PROMPTS[name];
    const given = 'arguments' in rest ? { arguments: [...rest.arguments] } : {};
    return { name, title, description, ...given };
  });
}
