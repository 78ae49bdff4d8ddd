// What a manifest would run, in which order, and what it may cost.
import { relative } from 'node:path';
import { ConfigError } from '../../../config/config-error.ts';
import type { ProjectPlace } from '../../../orchestrator/index.ts';
import { previewStreams, toTask } from '../../../orchestrator/index.ts';
import { findLastRun } from '../../../orchestrator/run/last-run.ts';
import { withKnownState } from '../../../orchestrator/run/known-state.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { drawAscii } from './graph/ascii.ts';
import { drawDot } from './graph/dot.ts';
import { drawMermaid } from './graph/mermaid.ts';
import { findMissingPrograms } from './missing-programs.ts';
import { isPriced, modelPricesOf } from './model-prices.ts';
import { modelFactWarnings } from './model-warnings.ts';
import type { ModelPrices } from './model-prices.ts';
import { checkModelIds } from '../../model-advice.ts';
import { windowsFrom } from '../../served-windows.ts';
import type { AskWindows } from '../../served-windows.ts';
import type { Estimate } from '../../../domain/run/stream-estimate.ts';
import { ANSWER } from '../../../manifest/model.ts';
import { ladderOf } from '../../../manifest/ladder.ts';
import type { Problem } from '../../../manifest/problem.ts';
import { print, styled } from '../../terminal/output.ts';
import type { Paint } from '../../terminal/output.ts';
import { checkTiers } from './check-tiers.ts';
import { openProjectFiles } from './plan-files.ts';
import { numberOf } from '../../flag-values.ts';
import { runsOf } from '../runs/git-work.ts';
import { findProject } from '../runs/project.ts';
import { agentProblems, namedAgents } from '../runs/agents-of-run.ts';
import { sandboxProblems, wantsSandbox } from '../runs/command-sandbox.ts';
import { loadPlan } from './load.ts';
import { addContexts } from './plan-context.ts';
import { changedFiles } from './changed-files.ts';
import { describePlan, toJson, willRun } from './plan-document.ts';
import type { PlanChoices, PlanDocument } from './plan-document.ts';
import { showPlan } from './show-plan.ts';
import { showWarnings } from './show-warnings.ts';
import { DEFAULT_MANIFEST, STDIN, readSource, targetOf } from './source.ts';

const GRAPHS: Record<string, (plan: PlanDocument, paint: Paint) => string> = {
  ascii: drawAscii,
  mermaid: drawMermaid,
  dot: drawDot,
};

function concurrencyOf(options: CommandOptions): number {
  const concurrency = numberOf(options, 'concurrency', '--concurrency') ?? 8;
  if (concurrency > 0) return concurrency;
  throw new ConfigError(['--concurrency "0": must be at least 1']);
}

export async function plan(options: CommandOptions, args: string[]): Promise<number> {
  const { model: asked } = options;
  const concurrency = concurrencyOf(options);
  const { root, stateDir, settings } = await findProject(options);
  const source = await readSource(args[0] ?? DEFAULT_MANIFEST, 'plan');
  const loaded = loadPlan(source, options);
  if (loaded === undefined) return EXIT.usage;
  const { file } = source;
  const runs =
    file === STDIN
      ? undefined
      : await runsOf({ root, stateDir }, loaded.manifest, {
          file: relative(root, await targetOf(file)),
          options,
        });
  const manifest = runs ? await withKnownState(stateDir, runs, loaded.manifest) : loaded.manifest;
  const input = { file: source.file, ...loaded, manifest };
  const choices = {
    model: typeof asked === 'string' ? asked : undefined,
    defaultModel: settings.model?.value,
    concurrency,
    instructions: options['instructions'] !== false,
    ...(typeof options['agent'] === 'string' && { agent: options['agent'] }),
    agentMaxCostUsd: settings.agents.maxCostUsd,
    ownLogins: settings.agents.ownLogins,
    sandboxCommands: wantsSandbox({ options, settings }),
  };
  const prices = modelPricesOf(process.env);
  const windows = windowsFrom(options);
  const document = await makePlan(input, choices, { root, stateDir, prices, windows });
  const toRun = [...document.streams].filter(([, { action }]) => action === 'run');
  const ids = toRun.map(([id]) => id);
  const named = namedAgents(manifest, ids, choices.agent);
  const defaults = { model: choices.model, fallbackModel: choices.defaultModel };
  document.warnings.push(...(await agentProblems(manifest, named, settings.agents, defaults)));
  show(document, options);
  if (!options['detailedExitcode']) return EXIT.ok;
  return document.totals.toRun > 0 ? EXIT.workToDo : EXIT.ok;
}

/** Of more streams the estimate comes from the sizes of their files: nobody waits minutes for a plan. */
const MOST_STREAMS = 200;

/** With the prompts that would be sent, and what the last run took. */
export async function makePlan(
  input: Parameters<typeof describePlan>[0],
  choices: PlanChoices,
  { root, stateDir, prices, windows }: ProjectPlace & { prices: ModelPrices; windows?: AskWindows },
): Promise<PlanDocument> {
  const { manifest, order, file } = input;
  const { model, defaultModel: fallbackModel, instructions, serviceTier } = choices;
  const { agent } = choices;
  const chosen = { model, fallbackModel, serviceTier, agent };
  const ids = order.waves.flat().filter((id) => willRun(manifest, manifest.streams.get(id)!));
  const ladders = ids.map((id) => ladderOf(manifest, manifest.streams.get(id)!, chosen));
  const windowOf = await windows?.(ladders.flat());
  const defaults = { ...chosen, ...(windowOf && { windowOf }) };
  const tasks = ids.map((id) => toTask(manifest, manifest.streams.get(id)!, defaults));
  const asked = tasks.flatMap(({ ladder, ...task }) =>
    ladder.slice(0, choices.maxAttempts).map((each) => ({ ...task, model: each })),
  );
  const tierWarnings = checkTiers(manifest, ids, defaults);
  const doubts = modelWarnings(
    asked.map(({ model: each }) => each),
    prices,
  );
  const previews =
    tasks.length > MOST_STREAMS
      ? new Map()
      : await previewStreams(
          root,
          // An agent looks at the files itself.
          tasks.filter(({ agent }) => agent === ANSWER),
          { instructions },
        );
  const nameInProject = file === STDIN ? undefined : relative(root, await targetOf(file));
  const before = nameInProject === undefined ? {} : await readEarlier(stateDir, nameInProject);
  const files = openProjectFiles(root);
  const known = { files, prices, prompts: previews, ...before };
  const document = describePlan(input, choices, known);
  const missing = await findMissingPrograms(manifest, ids, { root, env: process.env });
  document.warnings.push(...missing);
  if (nameInProject !== undefined) {
    document.warnings.push(...(await changedFiles({ root, stateDir }, nameInProject, manifest)));
  }
  document.warnings.push(...(await sandboxProblems(manifest, document.sandbox?.hosts)));
  addContexts(document, tasks, previews);
  document.warnings.push(...doubts, ...modelFactWarnings(asked, new Date()), ...tierWarnings);
  return document;
}

/** Throws for a model that no provider can have. */
function modelWarnings(models: readonly string[], prices: ModelPrices): Problem[] {
  const { doubts, unrouted } = checkModelIds(
    models.filter((model) => model !== ''),
    (model) => isPriced(prices, model),
  );
  const messages = [
    ...doubts,
    ...unrouted.map(
      (model) =>
        `The name "${model}" does not say which provider has it: only a server with a default provider can use it.`,
    ),
  ];
  return messages.map((message) => ({
    severity: 'warning',
    code: 'MODEL_NOT_KNOWN',
    message: message.trimEnd(),
    hint: 'Write provider:model if you are sure of it.',
    path: '',
    line: 1,
    column: 1,
  }));
}

/** Output tokens of each stream in the last run of this manifest, one attempt. */
async function readEarlier(stateDir: string, file: string) {
  const outputs = new Map<string, number>();
  const history = new Map<string, Estimate>();
  const last = await findLastRun(stateDir, { file });
  for (const [id, stream] of last?.record.streams ?? []) {
    const { tokens, costUsd, durationMs, agent } = stream;
    const attempts = Math.max(1, stream.attempt);
    const each = (sum: number) => Math.round(sum / attempts);
    if (tokens.output === 0) continue;
    if (agent === undefined) outputs.set(id, each(tokens.output));
    else {
      history.set(id, {
        inputTokens: each(tokens.input),
        outputTokens: each(tokens.output),
        costUsd: costUsd === null ? null : costUsd / attempts,
        durationMs: each(durationMs),
      });
    }
  }
  return { earlier: outputs, history };
}

function show(document: PlanDocument, options: CommandOptions): void {
  const draw = GRAPHS[String(options['graph'])];
  if (options['json']) {
    const graph = draw?.(document, (_style, text) => text);
    print(JSON.stringify({ ...toJson(document), ...(graph !== undefined && { graph }) }));
    return;
  }
  const withFiles = options['context'] === true;
  print(draw === undefined ? showPlan(document, styled, { withFiles }) : draw(document, styled));
  showWarnings(document.warnings);
}
