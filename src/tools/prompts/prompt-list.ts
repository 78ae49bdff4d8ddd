// The prompts as clients list them. People choose them by name, so there are few.
import type { Prompt } from '@modelcontextprotocol/server';

export const MAX_GOAL = 4000;

export const PROMPTS = {
  plan_manifest: {
    title: 'Write a manifest for a goal',
    description: 'Turns a goal into a millrace.yaml for this project',
    arguments: [
      { name: 'goal', description: 'What should be different afterwards', required: true },
    ],
  },
  review_run: {
    title: 'Review the last run',
    description: 'Looks at what the last run changed and says what to do next',
  },
  fix_failed: {
    title: 'Fix what failed in the last run',
    description: 'Finds out why streams of the last run failed and fixes it',
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
