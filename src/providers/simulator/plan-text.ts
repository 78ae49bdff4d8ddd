// The plan that a simulated answer holds when the prompt asks for one.
import { streamsAskedFor } from '../../domain/execution/prompts.ts';
import type { ProviderRequest } from '../provider.ts';
import type { Script } from './script-model.ts';

const USUAL_STEPS = 3;
const USUAL_WAVES = 2;
const MAX_SLUG = 24;

/** A word or three of the task, for the names of files. */
function slugOf(prompt: string): string {
  const task = prompt.slice(prompt.lastIndexOf('\n# Task\n') + 1).split('\n')[2] ?? '';
  const words = task.replaceAll(/\[\[sim:[^\][]*\]\]/g, ' ').toLowerCase();
  const slug = (words.match(/[a-z0-9]+/g) ?? []).join('-').slice(0, MAX_SLUG);
  return slug.replace(/-$/, '') || 'task';
}

/** Steps spread evenly over the waves; each waits for one of the wave before. */
function stepsOf(count: number, waves: number): { wave: number; dep: number | undefined }[] {
  const waveOf = (step: number) => Math.floor((step * waves) / count);
  return Array.from({ length: count }, (_, step) => {
    const wave = waveOf(step);
    const before = Array.from({ length: count }, (__, each) => each).filter(
      (each) => waveOf(each) === wave - 1,
    );
    const inWave = step - Math.ceil((wave * count) / waves);
    return { wave, dep: before.length === 0 ? undefined : before[inWave % before.length] };
  });
}

/** Undefined when the prompt does not ask for a plan. */
export function planText(
  request: Pick<ProviderRequest, 'prompt'>,
  script: Script,
): string | undefined {
  const allowed = streamsAskedFor(request.prompt);
  if (allowed === undefined) return undefined;
  const count = script.plan?.steps ?? Math.min(allowed, USUAL_STEPS);
  const waves = script.plan?.waves ?? Math.min(count, USUAL_WAVES);
  const slug = slugOf(request.prompt);
  const streams = stepsOf(count, waves).map(({ dep }, step) => {
    const number = step + 1;
    return [
      `  step-${number}:`,
      `    name: Simulated step ${number} of ${count}`,
      ...(dep === undefined ? [] : [`    deps: [step-${dep + 1}]`]),
      `    owns: [millrace-sim/${slug}/step-${number}.md]`,
      `    plan: Write what step ${number} is about.`,
    ].join('\n');
  });
  return [
    'This is a simulated plan.',
    '',
    '````yaml',
    `feature: ${slug}`,
    'streams:',
    ...streams,
    '````',
    '',
  ].join('\n');
}
