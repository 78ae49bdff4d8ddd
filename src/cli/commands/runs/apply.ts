// millrace apply: writes what a run kept. Each stream as a whole, checked before the next one.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stateOf } from '../../../manifest/model.ts';
import { listApplied } from '../../../orchestrator/apply/record.ts';
import { stageArtifact } from '../../../orchestrator/apply/stage.ts';
import { applyChanges, undoApplied } from '../../../orchestrator/apply/transaction.ts';
import { commandsOf } from '../../../orchestrator/commands/trust.ts';
import { isOk } from '../../../orchestrator/commands/run-command.ts';
import { runVerify, runWorkflowCommands } from '../../../orchestrator/commands/run-commands.ts';
import { withKnownState } from '../../../orchestrator/run/known-state.ts';
import { createCheckpoint } from '../../../orchestrator/state/checkpoint.ts';
import type { Checkpoint } from '../../../orchestrator/state/checkpoint.ts';
import { stateWithin } from '../../../orchestrator/state/state-dir.ts';
import type { ProjectPlace } from '../../../orchestrator/state/state-dir.ts';
import { createScrubber } from '../../../platform/log.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { loadManifest, reportInvalid } from '../manifests/load.ts';
import { complain, note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { decisiveLines } from './decisive-lines.ts';
import { findRun } from './find-run.ts';
import { keptArtifacts } from './kept-artifacts.ts';
import type { KeptArtifact } from './kept-artifacts.ts';
import { projectionOf } from '../../../domain/run/projection.ts';
import { findProject } from './project.ts';
import { createStopControl } from './stop-control.ts';
import { ensureTrusted } from './trust-commands.ts';
import { outcomeOf } from '../../../domain/run/projection.ts';
import { withProjectLock } from './with-lock.ts';

interface Site extends ProjectPlace {
  runId: string;
  /** Only this file, if not everything. */
  file: string | undefined;
  manifestFile: string;
  checkpoint: Checkpoint | undefined;
  signal: AbortSignal;
}

interface Failed {
  error: string;
  /** Lines of a command that say why. */
  output: string[];
}

type Outcome = { kind: 'applied'; files: string[] } | ({ kind: 'failed' } & Failed);

const MOST_OUTPUT = 5;

async function check({ root, signal }: Site, { task }: KeptArtifact): Promise<Failed | undefined> {
  const scrubber = createScrubber();
  const context = {
    root,
    env: process.env,
    timeoutMs: task.timeoutMs,
    signal,
    scrub: (text: string) => scrubber.scrub(text),
    onStart: (command: string) => note(`  ${plain(command)}`),
  };
  const { ok, cancelled, results } =
    task.commands.length > 0
      ? await runWorkflowCommands(task.commands, context)
      : await runVerify(task.verify, context);
  if (ok) return undefined;
  if (cancelled) return { error: 'stopped', output: [] };
  const bad = results.find((result) => !isOk(result) && result.critical);
  if (bad === undefined) return { error: 'a check failed', output: [] };
  const error = `${plain(bad.command)} ${outcomeOf(bad)}`;
  return { error, output: decisiveLines(bad.output, MOST_OUTPUT) };
}

/** The number of the record: one that was undone or that held a single file is not written over. */
async function nextAttempt({ stateDir, runId }: Site, { task, attempt }: KeptArtifact) {
  const records = (await listApplied(stateDir, runId)).filter(
    ({ streamId }) => streamId === task.id,
  );
  return Math.max(attempt, 1 + Math.max(0, ...records.map((record) => record.attempt)));
}

async function applyOne(site: Site, kept: KeptArtifact): Promise<Outcome> {
  const { root, stateDir, runId, file, manifestFile, checkpoint } = site;
  const { task, artifact } = kept;
  const operations = artifact.operations.filter(({ path }) => file === undefined || path === file);
  const protectedPaths = [manifestFile, ...stateWithin(site)];
  const staged = await stageArtifact({ root, operations, owns: [...task.owns], protectedPaths });
  if (staged.kind === 'rejected') {
    const [first] = staged.problems;
    return { kind: 'failed', error: `${first?.path}: ${first?.message}`, output: [] };
  }
  const attempt = await nextAttempt(site, kept);
  const place = { root, stateDir, runId, streamId: task.id, attempt };
  const written = await applyChanges(place, staged.changes);
  if (written.kind === 'conflict') {
    const [first] = written.problems;
    return { kind: 'failed', error: `${first?.path}: ${first?.message}`, output: [] };
  }
  const failed = await check(site, kept);
  if (failed !== undefined) {
    await undoApplied(site, written.dir);
    return { kind: 'failed', ...failed, error: `${failed.error}; its files were taken back` };
  }
  // Of a stream that was written in part, more is to come.
  if (operations.length === artifact.operations.length) {
    const appliedAt = new Date().toISOString();
    checkpoint?.set(task.id, { status: 'complete', appliedAt, error: null });
  }
  return { kind: 'applied', files: staged.changes.map(({ path }) => path) };
}

export async function apply(options: CommandOptions, args: string[]): Promise<number> {
  const { root, stateDir } = await findProject(options);
  const { runId, events } = await findRun(stateDir, args[0]);
  const projection = projectionOf(events);
  const file = typeof options['file'] === 'string' ? options['file'] : undefined;
  const manifestFile = projection.file;
  const text = await readFile(join(root, manifestFile), 'utf8');
  const source = { file: manifestFile, text };
  const loaded = loadManifest(source);
  if (loaded.kind === 'invalid') {
    reportInvalid(source, loaded.problems, options);
    return EXIT.usage;
  }
  const manifest = await withKnownState(stateDir, manifestFile, loaded.manifest);
  const isDone = (id: string) => {
    const stream = manifest.streams.get(id);
    return stream !== undefined && stateOf(stream).appliedAt !== undefined;
  };
  const all = (await keptArtifacts(stateDir, projection, manifest)).filter(
    ({ task }) => !isDone(task.id),
  );
  const kept = all.filter(
    ({ artifact }) => file === undefined || artifact.operations.some(({ path }) => path === file),
  );
  if (kept.length === 0) {
    const what = file === undefined ? 'nothing to apply' : `nothing kept for ${file}`;
    throw new CommandError({
      code: 'NOTHING_TO_APPLY',
      message: `${runId} has ${what}.`,
      hint: `Answers are kept by: ${commandLine('run', '--apply', 'never')}`,
    });
  }
  await ensureTrusted(commandsOf(manifest), root, options);
  const stop = createStopControl({
    timeoutMs: undefined,
    onStop: () => complain('stopping...'),
    onLeave: () => complain('Left at once.'),
  });
  try {
    return await withProjectLock({ root, stateDir }, runId, async () => {
      const checkpoint =
        manifest.notation === 'A'
          ? undefined
          : createCheckpoint({ file: join(root, manifestFile), text, onProblem: (m) => note(m) });
      const site = { root, stateDir, runId, file, manifestFile, checkpoint, signal: stop.signal };
      try {
        return await applyAll(site, kept, { options, exit: () => stop.exit() });
      } finally {
        await checkpoint?.flush();
        await checkpoint?.close();
      }
    });
  } finally {
    stop.close();
  }
}

/** The first that fails is the last: those behind it build on it. */
async function applyAll(
  site: Site,
  kept: readonly KeptArtifact[],
  { options, exit }: { options: CommandOptions; exit(): number | undefined },
): Promise<number> {
  const applied: { stream: string; files: string[] }[] = [];
  let failed: ({ stream: string } & Failed) | undefined;
  for (const each of kept) {
    const stream = each.task.id;
    note(`${plain(stream)}: ${plain(each.task.name)}`);
    const outcome = await applyOne(site, each);
    if (outcome.kind === 'failed') {
      failed = { stream, error: outcome.error, output: outcome.output };
      break;
    }
    applied.push({ stream, files: outcome.files });
  }
  if (options['json']) {
    print(JSON.stringify({ runId: site.runId, applied, ...(failed && { failed }) }));
  } else {
    for (const { stream, files } of applied) {
      print(`applied ${plain(stream)}  ${files.map(plain).join(', ') || 'nothing to change'}`);
    }
    if (failed) {
      complain(`Error: ${plain(failed.stream)} was not applied: ${plain(failed.error)}`);
      for (const line of failed.output) complain(`  ${plain(line)}`);
      const again = commandLine('run', site.manifestFile, '--only', failed.stream);
      complain(`Do it again, with fixes: ${again}`);
    }
  }
  return failed ? (exit() ?? EXIT.failed) : EXIT.ok;
}
