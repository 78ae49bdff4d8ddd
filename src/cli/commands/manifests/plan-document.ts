// A plan as `plan --json` prints it; the other views are made from it.
import type { ServiceTier } from '../../../contract/fields.ts';
import type { FeatureStream, Manifest, WorkflowStream } from '../../../manifest/model.ts';
import { fixTargetOf, manifestName, stateOf } from '../../../manifest/model.ts';
import { explainStream } from '../../../manifest/plan-manifest.ts';
import type { Reason } from '../../../manifest/plan-manifest.ts';
import type { Problem } from '../../../manifest/problem.ts';
import type { StreamOrder } from '../../../manifest/plan.ts';
import { askedTierOf } from '../../../orchestrator/index.ts';
import type { ContextPreview } from '../../../orchestrator/index.ts';
import { attemptsFor } from '../../../domain/run/ladder-climb.ts';
import { addCosts } from '../../../domain/run/replay.ts';
import { worstCaseOf } from '../../../domain/run/worst-case.ts';
import type { WorstCase } from '../../../domain/run/worst-case.ts';
import { ladderOf } from '../../../manifest/ladder.ts';
import { createWritten } from '../../../domain/run/plan-written.ts';
import { NO_ESTIMATE, estimateStream } from '../../../domain/run/stream-estimate.ts';
import type { Estimate, StreamEstimate } from '../../../domain/run/stream-estimate.ts';
import { isSimulatedModel } from '../../../domain/model/model-routing.ts';
import { tierOf } from '../../../domain/model/service-tier.ts';
import { hostsOfCommands } from '../runs/command-sandbox.ts';
import { estimateDepsOf } from './plan-estimate.ts';
import type { PlanDeps } from './plan-estimate.ts';
import { tooLarge } from './owned-too-large.ts';
import { planAgent } from './plan-agent.ts';
import type { AgentChoices, PlannedAgent } from './plan-agent.ts';
import { createRechecks } from './plan-rechecks.ts';
import { simulateQueue } from './ready-queue.ts';

export interface PlanEntry {
  name: string;
  wave: number;
  status: string;
  /** Streams whose work is done are not run again. */
  action: 'run' | 'skip';
  skipReason?: string;
  waitsFor: Reason[];
  /** Streams whose checks run again after it, as it may change their files. */
  rechecks: string[];
  /** The first that is asked. */
  model: string | null;
  /** Of a ladder: every model that may be asked, in order. */
  rungs?: PlanRung[];
  /** Present where one is asked for and the model has it. */
  serviceTier?: ServiceTier;
  /** Of a stream that an agent works on. */
  agent?: PlannedAgent;
  estimate: Estimate;
  /** What it would be shown of the project as it is now; not for all streams of a large plan. */
  context?: ContextPreview;
  /** One call of it at the most: every token that it is allowed. */
  largestCall: StreamEstimate['largestCall'];
  /** It takes all of its attempts, and every call is as long as it may be. */
  worstCase: WorstCase;
}

export interface PlanRung extends StreamEstimate {
  model: string;
  serviceTier?: ServiceTier;
}

export interface PlanTotals extends Estimate {
  streams: number;
  toRun: number;
  skipped: number;
  concurrency: number;
  /** Every stream that runs uses the simulator: nothing is charged. */
  simulated: boolean;
  /** Streams that may ask a model whose price is not known. */
  unpriced: number;
  /** Of all streams; `attempts` are those of the stream that has most. */
  worstCase: WorstCase;
}

export interface PlanDocument {
  manifest: string;
  notation: 'A' | 'B';
  file: string;
  waves: string[][];
  streams: Map<string, PlanEntry>;
  criticalPath: string[];
  /** Where commands run in the sandbox: what they may reach. Null where they run as the user does. */
  sandbox: { hosts: readonly string[] } | null;
  totals: PlanTotals;
  warnings: Problem[];
}

export interface PlanChoices extends AgentChoices {
  /** Wins over what the manifest says. */
  model: string | undefined;
  /** Wins over what the manifest says, too. */
  serviceTier?: ServiceTier | undefined;
  /** For streams that nobody names one for. */
  defaultModel: string | undefined;
  concurrency: number;
  /** Of each stream, fixes included. */
  maxAttempts?: number | undefined;
  /** With the repository's instructions in the prompts; unless it is false. */
  instructions?: boolean | undefined;
  /** Asked for beside the manifest: in the settings or on the command line. */
  sandboxCommands?: boolean | undefined;
}

function whySkipped(
  manifest: Manifest,
  stream: FeatureStream | WorkflowStream,
): string | undefined {
  const { status, appliedAt } = stateOf(stream);
  if (appliedAt !== undefined) return `applied ${appliedAt}`;
  if (status === 'complete' || status === 'skipped') return status;
  // It belongs to the run that made it: a new run begins with the stream itself.
  const root = fixTargetOf(manifest, stream);
  return root === undefined ? undefined : `a fix of ${root}`;
}

export function willRun(manifest: Manifest, stream: FeatureStream | WorkflowStream): boolean {
  return whySkipped(manifest, stream) === undefined;
}

export function describePlan(
  input: { file: string; manifest: Manifest; order: StreamOrder; warnings: Problem[] },
  choices: PlanChoices,
  deps: PlanDeps,
): PlanDocument {
  const { file, manifest, order, warnings } = input;
  const streams = new Map<string, PlanEntry>();
  const found: Problem[] = [];
  const written = createWritten(manifest.streams.size);
  const rechecks = createRechecks(manifest);
  const hosts = hostsOfCommands(manifest, choices.sandboxCommands === true);
  const estimates = estimateDepsOf(deps);
  for (const id of order.waves.flat()) {
    const stream = manifest.streams.get(id)!;
    const { wave, waitsFor } = explainStream(manifest, order, id)!;
    const { defaultModel: fallbackModel } = choices;
    const ladder = ladderOf(manifest, stream, { model: choices.model, fallbackModel });
    const attempts = attemptsFor(ladder, choices);
    const maxTokens = stream.maxTokens ?? manifest.maxTokens;
    const skipReason = whySkipped(manifest, stream);
    const toCome = written.seenBy(stream);
    const askedTier = askedTierOf(manifest, stream, choices);
    const estimate = (
      model: string | undefined,
    ): StreamEstimate & { serviceTier?: ServiceTier } => {
      if (skipReason !== undefined) return NO_ESTIMATE;
      const serviceTier = tierOf(model ?? '', askedTier);
      const tier = serviceTier === undefined ? {} : { serviceTier };
      const choice = { ...(model && { model }), ...(maxTokens && { maxTokens }), ...tier };
      return { ...estimateStream(estimates, stream, choice, toCome), ...tier };
    };
    const byAgent =
      skipReason === undefined
        ? planAgent(manifest, id, choices, { attempts, history: deps.history?.get(id) })
        : undefined;
    const rungs = byAgent
      ? []
      : ladder.slice(0, attempts).map((model) => ({ model, ...estimate(model) }));
    const [model] = ladder;
    const estimated: StreamEstimate & { serviceTier?: ServiceTier } = byAgent
      ? { estimate: byAgent.estimate, largestCall: NO_ESTIMATE.largestCall }
      : (rungs[0] ?? estimate(undefined));
    written.add(stream, estimated.estimate.outputTokens);
    if (skipReason === undefined && byAgent === undefined) {
      found.push(
        ...tooLarge(deps.files, stream, {
          ...(model && { model }),
          ...(maxTokens && { maxTokens }),
        }),
      );
    }
    streams.set(id, {
      name: 'name' in stream ? stream.name : stream.description,
      wave,
      status: stateOf(stream).status,
      action: skipReason === undefined ? 'run' : 'skip',
      ...(skipReason !== undefined && { skipReason }),
      waitsFor,
      rechecks: rechecks.of(
        id,
        waitsFor.map((wait) => wait.id),
      ),
      model: model ?? null,
      ...(estimated.serviceTier && { serviceTier: estimated.serviceTier }),
      ...(skipReason === undefined && rungs.length > 1 && { rungs }),
      ...(byAgent && { agent: byAgent.agent }),
      estimate: estimated.estimate,
      largestCall: estimated.largestCall,
      worstCase:
        byAgent?.worstCase ??
        worstCaseOf(
          rungs.length > 0 ? rungs.map(({ largestCall }) => largestCall) : [estimated.largestCall],
          attempts,
        ),
    });
  }
  return {
    manifest: manifestName(manifest),
    notation: manifest.notation,
    file,
    waves: order.waves,
    streams,
    criticalPath: order.criticalPath,
    sandbox: hosts === undefined ? null : { hosts },
    totals: addUp(streams, choices),
    warnings: [...warnings, ...found],
  };
}

function addUp(streams: ReadonlyMap<string, PlanEntry>, { concurrency }: PlanChoices): PlanTotals {
  const running = [...streams].filter(([, { action }]) => action === 'run');
  const estimates = running.map(([, { estimate }]) => estimate);
  const worst = running.map(([, { worstCase }]) => worstCase);
  const queue = running.map(([id, { estimate, waitsFor }]) => ({
    id,
    durationMs: estimate.durationMs,
    waitsFor: waitsFor.map((wait) => wait.id),
  }));
  return {
    streams: streams.size,
    toRun: running.length,
    skipped: streams.size - running.length,
    ...sumOf(estimates),
    durationMs: simulateQueue(queue, concurrency),
    concurrency,
    simulated:
      running.length > 0 &&
      running.every(([, { model, rungs = [] }]) =>
        [model ?? '', ...rungs.map((rung) => rung.model)].every(isSimulatedModel),
      ),
    unpriced: worst.filter(({ costUsd }) => costUsd === null).length,
    worstCase: {
      attempts: worst.reduce((most, { attempts }) => Math.max(most, attempts), 0),
      ...sumOf(worst),
    },
  };
}

function sumOf(parts: readonly Omit<WorstCase, 'attempts'>[]): Omit<WorstCase, 'attempts'> {
  return parts.reduce(
    (sum, { inputTokens, outputTokens, costUsd }) => ({
      inputTokens: sum.inputTokens + inputTokens,
      outputTokens: sum.outputTokens + outputTokens,
      costUsd: addCosts(sum.costUsd, costUsd),
    }),
    { inputTokens: 0, outputTokens: 0, costUsd: 0 },
  );
}

/** Without a prototype, so that a stream may be called anything. */
export function toJson(plan: PlanDocument): object {
  const streams = Object.create(null) as Record<string, PlanEntry>;
  for (const [id, entry] of plan.streams) streams[id] = entry;
  return { ...plan, streams };
}
