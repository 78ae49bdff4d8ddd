// What a run would do, without doing it.
import {
  commandsOf,
  freshStatus,
  namedIn,
  previewAgentTasks,
  selected,
  toTask,
} from '../../../orchestrator/index.ts';
import type { Selection } from '../../../orchestrator/index.ts';
import { stateOf } from '../../../manifest/model.ts';
import type { Manifest } from '../../../manifest/model.ts';
import type { StreamOrder } from '../../../manifest/plan.ts';
import type { CommandOptions } from '../../command.ts';
import { makePlan } from '../manifests/make-plan.ts';
import { toJson } from '../manifests/plan-document.ts';
import type { PlanChoices } from '../manifests/plan-document.ts';
import { showPlan } from '../manifests/show-plan.ts';
import { showWarnings } from '../manifests/show-warnings.ts';
import type { ModelPrices } from '../manifests/model-prices.ts';
import { windowsFrom } from '../../served-windows.ts';
import { print, styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { visibleCommand } from '../../terminal/visible-command.ts';

export interface DryRun {
  file: string;
  root: string;
  stateDir: string;
  manifest: Manifest;
  order: StreamOrder;
  selection: Selection;
  choices: PlanChoices;
  prices: ModelPrices;
  /** What the built-in agent may run besides the commands of its stream. */
  agentCommands: readonly string[];
}

/** The streams with the status that the run would begin with. */
export function asChosen({
  manifest,
  order,
  selection,
}: Pick<DryRun, 'manifest' | 'order' | 'selection'>): Manifest {
  const chosen = selected(order, selection);
  const named = namedIn(order, selection);
  const streams = [...manifest.streams].map(([id, stream]) => {
    const isOut = selection.skip.includes(id) || (chosen !== undefined && !chosen.has(id));
    const state = stateOf(stream);
    const fresh = freshStatus(state, named.has(id));
    const status = isOut && fresh === 'pending' ? 'skipped' : fresh;
    if (!('status' in stream)) {
      return [id, { ...stream, state: { status, attempts: state.attempts } }];
    }
    const { appliedAt: _, ...rest } = stream;
    return [id, { ...rest, status }];
  });
  return { ...manifest, streams: new Map(streams as never) } as Manifest;
}

export async function showDryRun(dry: DryRun, options: CommandOptions): Promise<void> {
  const { file, order, choices } = dry;
  const manifest = asChosen(dry);
  const windows = windowsFrom(options);
  const document = await makePlan({ file, manifest, order, warnings: [] }, choices, {
    ...dry,
    windows,
  });
  const running = [...manifest.streams].filter(
    ([id]) => document.streams.get(id)?.action === 'run',
  );
  const { model, agent, defaultModel: fallbackModel, instructions } = choices;
  const tasks = await previewAgentTasks(
    dry.root,
    running.map(([, stream]) => toTask(manifest, stream, { model, agent, fallbackModel })),
    { instructions, commands: dry.agentCommands },
  );
  const commands = commandsOf({ ...manifest, streams: new Map(running as never) } as Manifest);
  if (options['json']) {
    print(JSON.stringify({ ...toJson(document), commands, agentTasks: Object.fromEntries(tasks) }));
    return;
  }
  print(showPlan(document, styled));
  showWarnings(document.warnings);
  for (const [id, text] of tasks) {
    print(`The agent of ${plain(id)} would get:`);
    for (const line of text.split('\n')) print(`  ${plain(line)}`.trimEnd());
  }
  const where = document.sandbox === null ? 'on this machine' : 'in the sandbox';
  if (commands.length > 0) print(`Commands that would run ${where}:`);
  for (const line of commands.flatMap(visibleCommand)) print(`  ${line}`);
  print('Nothing was run (--dry-run).');
}
