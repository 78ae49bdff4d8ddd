// A run from its first event to its exit code.
import { relative } from 'node:path';
import {
  RunLockedError,
  adaptiveConcurrency,
  createProjector,
  createRunReporter,
  journalOf,
  lockedError,
  openCallsOf,
  readEventLine,
  runManifest,
} from '../../../orchestrator/index.ts';
import type {
  AgentSetting,
  GitWork,
  CommandSandboxOptions,
  WriteMode,
  HaltKind,
  KnownPlan,
  ModelDefaults,
  AdaptiveConcurrency,
  ProjectPlace,
  Projector,
  RunEnd,
  RunEvent,
  RunServer,
  Selection,
} from '../../../orchestrator/index.ts';
import { readFileSync } from 'node:fs';
import { enoughText } from '../../../domain/run/enough.ts';
import type { EnoughUsd } from '../../../domain/run/enough.ts';
import { newId } from '../../../platform/ids.ts';
import { createScrubber } from '../../../platform/log.ts';
import { keepYoungGenerationSmall } from '../../../platform/young-generation.ts';
import type { CommandOptions } from '../../command.ts';
import { resumeWords } from '../../../domain/run/resume-words.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { DEFAULT_MANIFEST } from '../manifests/source.ts';
import type { ModelPrices } from '../manifests/model-prices.ts';
import type { ModelPrice } from '../../../contract/prices-api.ts';
import { unknownModel } from '../../model-advice.ts';
import { oneAtATime } from '../../terminal/one-at-a-time.ts';
import { complain, print, styled } from '../../terminal/output.ts';
import { progressOf } from '../../terminal/progress.ts';
import { tellStarter } from './detach.ts';
import { serverOf } from '../../remote.ts';
import { requestAnswersOf } from './of-request.ts';
import { createAgentQuestion } from './agent-question.ts';
import { createReview } from './review.ts';
import { noteKeptCopies } from './kept-copies.ts';
import { keptFlags } from './run-flags.ts';
import type { RunFlags } from './run-flags.ts';
import { createStopControl } from './stop-control.ts';
import type { StopCause } from './stop-control.ts';
import { countOf } from '../../terminal/figures.ts';
import { glyphsFor } from '../../terminal/glyphs.ts';
import { openView } from './view/open-view.ts';
import { showSummary } from './view/summary.ts';
import type { SummaryOptions } from './view/summary.ts';

export interface RunRequest extends ProjectPlace {
  /** As the user named it. */
  file: string;
  /** The flags of this call that a resumed run needs. */
  args: readonly string[];
  /** Models whose provider only the server may know. */
  unrouted: readonly string[];
  manifestFile: string;
  plan: KnownPlan;
  /** There is nothing to do. */
  isIdle: boolean;
  flags: RunFlags;
  apply: WriteMode;
  /** Every change is looked through in the browser before it is written. */
  reviewsInBrowser?: boolean;
  selection: Selection;
  /** Those that were agreed to. */
  commands: ReadonlySet<string>;
  /** Finished streams become commits. */
  git?: GitWork;
  /** Where they run in the sandbox: how. */
  sandbox?: CommandSandboxOptions;
  /** Those that its streams name. */
  agents?: AgentSetting;
  /** A person is at the terminal, and may be asked. */
  mayAsk?: boolean;
  prices: ModelPrices;
  defaults: ModelDefaults;
  /** With a budget: what each stream may cost at the most, where the price is known. */
  worstCases?: ReadonlyMap<string, number>;
}

/** Said when it is not the user of this terminal who stops the run. */
const WHY: Partial<Record<StopCause, string>> = {
  timeout: ' (timed out)',
  remote: ' (cancelled in the dashboard)',
};

const HALT_EXITS: Record<HaltKind, number> = {
  not_authorised: EXIT.notAuthorised,
  limited: EXIT.limited,
  unreachable: EXIT.unreachable,
  budget: EXIT.budget,
  model: EXIT.usage,
  manifest: EXIT.failed,
  broken: EXIT.failed,
};

function exitOf(end: RunEnd, stopped: number | undefined): number {
  switch (end.status) {
    case 'complete':
      return EXIT.ok;
    case 'cancelled':
      return stopped ?? EXIT.interrupted;
    case 'paused':
      return end.halt ? HALT_EXITS[end.halt.kind] : EXIT.failed;
    case 'failed':
      return EXIT.failed;
  }
}

/** Of a run that is resumed: what happened before, for the views. */
function earlierEvents(journal: string, beforeSeq: number): RunEvent[] {
  const events: RunEvent[] = [];
  for (const line of readFileSync(journal, 'utf8').split('\n')) {
    // The last line may be on its way.
    const event = readEventLine(line);
    if (event !== undefined && event.seq < beforeSeq) events.push(event);
  }
  return events;
}

export async function startRun(request: RunRequest, options: CommandOptions): Promise<number> {
  keepYoungGenerationSmall();
  const { flags, file } = request;
  const projector = createProjector();
  const mode = progressOf(options, process.stderr, process.env);
  const view = openView(mode, projector, 'ctrl-c stops', process.env);
  const named = file === DEFAULT_MANIFEST ? ['run'] : ['run', file];
  const stop = createStopControl({
    timeoutMs: flags.timeoutMs,
    onStop(reason) {
      const why = WHY[reason] ?? '';
      const open = openCallsOf(projector.projection);
      const calls = `; cancelling ${countOf(open, 'call')}, waiting for the token counts`;
      const kept = request.reviewsInBrowser ? '; what was said in reviews is kept' : '';
      view.say(`stopping${why}${open > 0 ? calls : ''}${kept}...`);
    },
    onLeave() {
      view.close();
      complain(`Stopped immediately. Resume with: ${commandLine(...named, ...keptFlags(options))}`);
    },
  });
  let server: RunServer | undefined;
  try {
    const callsAtOnce = adaptiveConcurrency(flags.concurrency);
    let isSlowed = false;
    server = await serverOf(options, {
      isIdle: request.isIdle,
      client: {
        onLimited: () => {
          callsAtOnce.slowDown();
          if (!isSlowed) view.say('rate limited by the server; waiting where needed');
          isSlowed = true;
        },
      },
    });
    await ensureServed(server, request.unrouted);
    if (request.reviewsInBrowser) view.say(`Changes are reviewed at ${server.url}/approvals`);
    const end = await start(request, { projector, view, stop, server, mode, callsAtOnce });
    view.close();
    const exit = exitOf(end, stop.exit());
    const enough = enoughFor(request, projector, end);
    const limit = enough && enoughText(enough.everything ?? enough.next);
    const resume = commandLine(...named, ...keptFlags(options, limit));
    // What the fixes of a review have made is shown by the review, and written with it.
    const isOfReview = !relative(request.stateDir, request.manifestFile).startsWith('..');
    const isKept = request.apply === 'never' && !isOfReview;
    const again = rerunOf(named, options);
    report(projector, { mode, again, resume, isKept, ...(enough && { enough }) }, options);
    if (flags.keepsCopies) await noteKeptCopies(request, end.runId);
    return exit;
  } catch (error) {
    view.close();
    if (!(error instanceof RunLockedError)) throw error;
    throw lockedError(error.message);
  } finally {
    stop.close();
    await server?.close();
  }
}

/** Before anything is written: a server that cannot use a model refuses its first call. */
async function ensureServed({ url, apiKey }: RunServer, models: readonly string[]): Promise<void> {
  if (models.length === 0 || apiKey === '') return;
  const { createCalls } = await import('../../../client/calls.ts');
  const query = { models: models.join(',') };
  const { items } = await createCalls(url, apiKey).get<{ items: ModelPrice[] }>(
    '/api/v1/prices',
    {},
    query,
  );
  const unknown = items.find(({ provider }) => provider === null);
  if (unknown !== undefined) throw unknownModel(unknown.model, []);
}

/** The same run of other streams, which are named after it. */
function rerunOf(named: readonly string[], options: CommandOptions) {
  const { only: _only, from: _from, skip: _skip, ...others } = options;
  return (...selection: string[]) => commandLine(...named, ...keptFlags(others), ...selection);
}

/** When a budget ended the run: what would be enough for it. */
function enoughFor(
  { worstCases }: RunRequest,
  { projection }: Projector,
  { halt }: RunEnd,
): EnoughUsd | undefined {
  if (halt?.nextUsd === undefined) return undefined;
  const open = [...(worstCases ?? [])].filter(
    ([id]) => projection.streams.get(id)?.status !== 'complete',
  );
  const left = open.reduce((sum, [, usd]) => sum + usd, 0);
  const everything = worstCases && Math.max(halt.nextUsd, (halt.spentUsd ?? 0) + left);
  return { next: halt.nextUsd, everything };
}

interface RunParts {
  projector: Projector;
  view: ReturnType<typeof openView>;
  stop: ReturnType<typeof createStopControl>;
  server: RunServer;
  mode: ReturnType<typeof progressOf>;
  callsAtOnce: AdaptiveConcurrency;
}

async function start(request: RunRequest, parts: RunParts): Promise<RunEnd> {
  const { root, stateDir, manifestFile, plan, flags, apply, selection, commands } = request;
  const { projector, view, stop, server, mode } = parts;
  const scrubber = createScrubber();
  scrubber.add(server.apiKey);
  const { maxAttempts } = flags;
  const terminal = oneAtATime();
  const review = createReview({ view, signal: stop.signal, quit: () => stop.stop('quit') });
  const reporter = flags.isPrivate
    ? undefined
    : createRunReporter({
        client: server.client,
        stateDir,
        manifest: scrubber.scrub(plan.text),
        onStopRequested: () => stop.stop('remote'),
      });
  const requestAnswers = requestAnswersOf(process.env, server.url, server.apiKey);
  try {
    return await runManifest({
      ...request.defaults,
      root,
      stateDir,
      manifestFile,
      plan,
      client: server.client,
      url: server.url,
      newRunId: () => newId('run'),
      concurrency: flags.concurrency,
      laneLimits: flags.laneLimits,
      callsAtOnce: parts.callsAtOnce,
      ...request.prices,
      maxCostUsd: flags.maxCostUsd,
      args: request.args,
      ...(maxAttempts !== undefined && { maxAttempts }),
      apply,
      ...(apply === 'review' && {
        review: (...change) => terminal(() => review(...change)),
      }),
      ...(request.reviewsInBrowser && {
        reviewInBrowser: { command: commandLine(...resumeWords(request)) },
      }),
      selection,
      commands,
      ...(request.sandbox && { sandbox: request.sandbox }),
      ...(request.agents && {
        agents: {
          ...request.agents,
          ...(request.mayAsk && { ask: createAgentQuestion(view, terminal) }),
        },
      }),
      env: process.env,
      scrub: (text) => scrubber.scrub(text),
      warm: flags.isWarm,
      cache: flags.usesCache,
      ...(requestAnswers && { requestAnswers }),
      instructions: flags.instructions,
      recheck: flags.rechecks,
      keepCopies: flags.keepsCopies,
      verifyConcurrency: flags.verifyConcurrency,
      // Only there the tokens are seen as they come.
      isLive: mode === 'tty',
      ...(request.git && { git: request.git }),
      now: () => new Date(),
      stop: stop.signal,
      ...(reporter && { reporter }),
      onEvent(event) {
        if (event.type === 'run.started') {
          if (event.resumed) {
            for (const each of earlierEvents(journalOf(stateDir, event.runId), event.seq)) {
              projector.follow(each);
            }
          }
          tellStarter({ runId: event.runId, seq: event.seq });
        }
        view.follow(event);
      },
    });
  } finally {
    await reporter?.close();
  }
}

function report(
  { projection }: Projector,
  { mode, ...next }: { mode: string } & Omit<SummaryOptions, 'glyphs' | 'paint'>,
  options: CommandOptions,
): void {
  const { end } = projection;
  // The line is there already.
  if (end === undefined || mode === 'json') return;
  if (options['json']) print(JSON.stringify(end));
  else {
    const glyphs = glyphsFor(process.env);
    print(showSummary(projection, end, { glyphs, paint: styled, ...next }));
  }
}
