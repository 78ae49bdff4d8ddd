// A model that answers when the test lets it: executions are then held open by a gate, not by time. It
// makes a plan of one step, and the step creates the file that the task names: `file:NAME`.
import { artifactOf } from '../executions/execution.ts';
import { waitUntil } from '../support/processes.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import type { ModelCall } from '../support/scripted-model.ts';

export const GATED_MODEL = 'gpt-4.1';
export const CREATED = 'made\n';
/** In the prompt of the step, and not in that of the planning. */
const STEP = 'STEP-OF-THE-PLAN';

export interface GatedModel {
  url: string;
  calls: ModelCall[];
  /** Steps wait from now on. */
  hold(): void;
  open(): void;
  /** Until a step of this task has been asked for, so many times. */
  untilAsked(task: string, times?: number): Promise<void>;
  callsFor(task: string): (ModelCall & { isStep: boolean })[];
  close(): Promise<void>;
}

const isStep = ({ prompt }: ModelCall) => prompt.includes(STEP);

function answerTo(call: ModelCall): string {
  const path = /file:([\w./-]+)/.exec(call.prompt)?.[1] ?? 'made.ts';
  if (isStep(call)) {
    return artifactOf([{ type: 'create', path, content: CREATED }], { summary: 'made it' });
  }
  const step = `  one:\n    name: one\n    owns: [${path}]\n    plan: ${STEP} file:${path}\n`;
  return `\`\`\`yaml\nfeature: test\nstreams:\n${step}\`\`\``;
}

export async function startGatedModel(): Promise<GatedModel> {
  const model = await startScriptedModel();
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  model.answer(async (call) => {
    if (isStep(call)) await gate.promise;
    return answerTo(call);
  });
  const callsFor = (task: string) =>
    model.calls
      .filter(({ prompt }) => prompt.includes(task))
      .map((call) => ({ ...call, isStep: isStep(call) }));
  return {
    url: model.url,
    calls: model.calls,
    hold: () => void (gate = Promise.withResolvers<void>()),
    open: () => gate.resolve(),
    untilAsked: async (task, times = 1) => {
      const asked = () => callsFor(task).filter((call) => call.isStep).length;
      await waitUntil(async () => asked() >= times, 'the step');
    },
    callsFor,
    close: () => model.close(),
  };
}
