// A stream as the runner sees it, whichever notation it was written in.
import { rungAfter } from '../../domain/run/ladder-climb.ts';
import type { FixStream } from '../../domain/run/fix-stream.ts';
import type { Reasoning, ServiceTier } from '../../contract/fields.ts';
import { defaultMaxTokens } from '../../domain/model/answer-length.ts';
import type { SpendingLimit } from '../../domain/model/answer-length.ts';
import { ladderOf } from '../../manifest/ladder.ts';
import type { LadderDefaults } from '../../manifest/ladder.ts';
import { isSimulatedModel } from '../../domain/model/model-routing.ts';
import { tierOf } from '../../domain/model/service-tier.ts';
import { ANSWER, DEFAULT_MAX_TURNS, usualTimeoutMs } from '../../manifest/model.ts';
import type {
  AgentChoice,
  ContextDepth,
  FeatureStream,
  Manifest,
  StreamCost,
  WorkflowCommand,
  WorkflowStream,
} from '../../manifest/model.ts';

export interface RunTask {
  id: string;
  name: string;
  plan: string;
  /** Empty means anywhere in the project. */
  owns: readonly string[];
  reads: readonly string[];
  depth: ContextDepth;
  setup: readonly string[];
  /** After the files are written; all are run, and each one that fails fails the stream. */
  verify: readonly string[];
  /** Of notation A: judged one by one. */
  commands: readonly WorkflowCommand[];
  timeoutMs: number;
  /** Who works on it: `answer`, or the name of an agent. */
  agent: string;
  /** The most model calls of an attempt of an agent. */
  maxTurns: number;
  /** A person approves what it writes. */
  approvesChanges?: boolean;
  /** What its agent asks waits for an answer on the server, also where nobody sits at the terminal. */
  waitsForAnswers?: boolean;
  /** What an agent may reach. */
  network: 'models' | 'none' | readonly string[];
  /** In dollars, all attempts together. */
  maxCostUsd?: number;
  /** That of its rung. */
  model: string;
  ladder: readonly string[];
  /** Counted from 0. */
  rung: number;
  maxTokens: number;
  /** Tokens of the project that it is shown; by the model when nobody says. */
  contextTokens?: number;
  /** What the model takes in and gives together, where only its own server says it. */
  windowTokens?: number;
  /** Nobody says how long an answer may be: it may be longer where its files need it. */
  mayAskMore?: boolean;
  /** Undefined leaves it to the model. */
  reasoning?: Reasoning;
  /** As far as the model has the tier. Undefined leaves it to the provider. */
  serviceTier?: ServiceTier;
  maxSteps?: number;
  requireTests?: boolean;
  /** The stream that this one fixes. */
  root?: string;
}

export interface ModelDefaults extends LadderDefaults, Partial<SpendingLimit> {
  /** Of models that there are no facts about. */
  windowOf?(model: string): number | undefined;
  /** Asked for on the command line, too. */
  reasoning?: Reasoning | undefined;
  serviceTier?: ServiceTier | undefined;
  /** Instead of what the manifest says. */
  agent?: string | undefined;
  /** Of an agent's stream for which nobody set a limit, nor one of the run. */
  agentMaxCostUsd?: number | undefined;
  /** Agents that this is not for: what they cost is between the person and their vendor. */
  ownLogins?: ReadonlySet<string> | undefined;
}

/** Where a task is looked at for its commands, and nobody is asked. */
export const NO_MODEL: ModelDefaults = { model: undefined, fallbackModel: undefined };

/** Whom a stream asks for; `answer` where nobody names an agent. */
export function agentOf(
  manifest: Pick<Manifest, 'agent'>,
  stream: { agent?: string },
  defaults: Pick<ModelDefaults, 'agent'> = {},
): string {
  return defaults.agent ?? stream.agent ?? manifest.agent ?? ANSWER;
}

function workOf(
  manifest: Manifest,
  stream: AgentChoice & StreamCost & { timeoutMs: number },
  defaults: ModelDefaults,
): Pick<RunTask, 'agent' | 'maxTurns' | 'network' | 'maxCostUsd' | 'timeoutMs'> {
  const agent = agentOf(manifest, stream, defaults);
  const isAnswer = agent === ANSWER;
  const hasLogin = defaults.ownLogins?.has(agent) === true;
  const isUncapped = !isAnswer && !hasLogin && defaults.maxCostUsd === undefined;
  const maxCostUsd = stream.maxCostUsd ?? (isUncapped ? defaults.agentMaxCostUsd : undefined);
  // Another worker than the manifest's has its own usual time.
  const usualMs = usualTimeoutMs(agentOf(manifest, stream));
  const isUsual = stream.timeoutMs === usualMs;
  return {
    agent,
    maxTurns: stream.maxTurns ?? manifest.maxTurns ?? DEFAULT_MAX_TURNS,
    network: stream.network ?? manifest.network ?? 'models',
    timeoutMs: isUsual ? usualTimeoutMs(agent) : stream.timeoutMs,
    ...(maxCostUsd !== undefined && { maxCostUsd }),
  };
}

/** What is asked for, whether the model has it or not. */
export function askedTierOf(
  manifest: Manifest,
  stream: { serviceTier?: ServiceTier },
  defaults: Pick<ModelDefaults, 'serviceTier'>,
): ServiceTier | undefined {
  return defaults.serviceTier ?? stream.serviceTier ?? manifest.serviceTier;
}

function answerLength(
  model: string,
  asked: number | undefined,
  { maxCostUsd, priceOf }: ModelDefaults,
): Pick<RunTask, 'maxTokens' | 'mayAskMore'> {
  if (asked !== undefined) return { maxTokens: asked };
  // No cap of costs shortens what is simulated.
  const limitUsd = isSimulatedModel(model) ? undefined : maxCostUsd;
  const limit = priceOf && { maxCostUsd: limitUsd, priceOf };
  return { maxTokens: defaultMaxTokens(model, 0, limit), mayAskMore: limitUsd === undefined };
}

export function toTask(
  manifest: Manifest,
  stream: FeatureStream | WorkflowStream | FixStream,
  defaults: ModelDefaults,
  /** How often the attempts before this one made it climb. */
  climbs = 0,
): RunTask {
  const contextTokens = stream.contextTokens ?? manifest.contextTokens;
  const ladder = ladderOf(manifest, stream, defaults);
  const rung = rungAfter(climbs, ladder);
  const model = ladder[rung] ?? '';
  const reasoning = defaults.reasoning ?? stream.reasoning ?? manifest.reasoning;
  const serviceTier = tierOf(model, askedTierOf(manifest, stream, defaults));
  const windowTokens = defaults.windowOf?.(model);
  const hasGate = (gate: 'changes' | 'question') =>
    [manifest, stream].some(({ approve }) => approve?.includes(gate));
  const choice = {
    model,
    ladder,
    rung,
    ...(windowTokens !== undefined && { windowTokens }),
    ...answerLength(model, stream.maxTokens ?? manifest.maxTokens, defaults),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(reasoning !== undefined && { reasoning }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...workOf(manifest, stream, defaults),
    approvesChanges: hasGate('changes'),
    waitsForAnswers: hasGate('question'),
  };
  const { id, depth } = stream;
  if ('description' in stream) {
    const { description, plan, files, commands, maxSteps, requireTests } = stream;
    const lists = { owns: [], reads: files, setup: [], verify: [], commands };
    const limits = { requireTests, ...(maxSteps !== undefined && { maxSteps }) };
    const root = 'parentStreamId' in stream ? { root: stream.parentStreamId } : {};
    const about = { id, name: description, plan, depth };
    return { ...about, ...lists, ...choice, ...limits, ...root };
  }
  const { name, owns, reads, setup, verify, parentStreamId } = stream;
  const lists = { owns, reads, setup, verify, commands: [] };
  const root = parentStreamId === undefined ? {} : { root: parentStreamId };
  return { id, name, plan: stream.plan ?? name, depth, ...lists, ...choice, ...root };
}
