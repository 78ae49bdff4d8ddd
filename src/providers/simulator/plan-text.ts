// The plan that a simulated answer holds when the prompt asks for one.
import { hasMap } from '../../domain/prompt/map-lines.ts';
import { planAskedFor } from '../../domain/prompt/planning-prompt.ts';
import type { ProviderRequest } from '../provider.ts';
import { planFromMap } from './plan-from-map.ts';
import type { Script } from './script-model.ts';

const USUAL_STEPS = 3;
const USUAL_WAVES = 2;
const MAX_SLUG = 24;
const MAX_TITLE = 120;

/** The first line, without what is meant for the simulator. */
function titleOf(task: string): string {
  const [first = ''] = task.split('\n');
  return first
    .replaceAll(/\[\[sim:[^\][]*\]\]/g, ' ')
    .slice(0, MAX_TITLE)
    .trim();
}

/** A word or three of it, for the names of files. */
function slugOf(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, MAX_SLUG).replace(/-$/, '') || 'task';
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

function simulatedPlan(asked: { task: string; maxStreams: number }, { plan }: Script) {
  const count = plan?.steps ?? Math.min(asked.maxStreams, USUAL_STEPS);
  const waves = plan?.waves ?? Math.min(count, USUAL_WAVES);
  const title = titleOf(asked.task);
  const slug = slugOf(title);
  const streams = stepsOf(count, waves).map(({ dep }, step) => {
    const number = step + 1;
    return {
      id: `step-${number}`,
      name: `Simulated step ${number} of ${count}`,
      owns: [`millrace-sim/${slug}/step-${number}.md`],
      deps: dep === undefined ? [] : [`step-${dep + 1}`],
      plan: `Write what step ${number} is about.`,
    };
  });
  return { feature: title || slug, streams };
}

/** Undefined when the prompt does not ask for a plan. */
export function planText(
  { prompt }: Pick<ProviderRequest, 'prompt'>,
  script: Script,
): string | undefined {
  const asked = planAskedFor(prompt);
  if (asked === undefined) return undefined;
  const isOfMap = script.plan === undefined && hasMap(prompt);
  const plan = isOfMap ? planFromMap(prompt, asked) : simulatedPlan(asked, script);
  return `This is a simulated plan.\n\n\`\`\`json\n${JSON.stringify(plan, null, 2)}\n\`\`\`\n`;
}
