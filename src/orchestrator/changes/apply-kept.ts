// Writes what a run kept (`--apply never`). Each stream as a whole, checked before the next one.
import { openSandboxes } from '../commands/open-sandboxes.ts';
import { join } from 'node:path';
import { projectionOf } from '../../domain/run/projection.ts';
import { stateOf } from '../../manifest/model.ts';
import type { Manifest } from '../../manifest/model.ts';
import { listApplied } from '../apply/record.ts';
import { stageArtifact } from '../apply/stage.ts';
import { applyChanges, undoApplied } from '../apply/transaction.ts';
import type { CommandSandbox } from '../commands/command-sandbox.ts';
import { OrchestratorError } from '../errors.ts';
import type { FoundRun } from '../project/find-run.ts';
import { withProjectLock } from '../project/with-lock.ts';
import { withKnownState } from '../run/known-state.ts';
import { createCheckpoint } from '../state/checkpoint.ts';
import type { Checkpoint } from '../state/checkpoint.ts';
import { stateWithin } from '../state/state-dir.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { checkTask } from './check-task.ts';
import type { CheckOptions, FailedCheck } from './check-task.ts';
import { keptArtifacts } from './kept-artifacts.ts';
import type { KeptArtifact } from './kept-artifacts.ts';
import { readManifestNow } from './read-manifest.ts';

export interface ApplyOptions extends CheckOptions {
  /** Only this file, if not everything. */
  file: string | undefined;
  now(): Date;
}

type Outcome = { kind: 'applied'; files: string[] } | ({ kind: 'failed' } & FailedCheck);

export interface AppliedKept {
  runId: string;
  manifestFile: string;
  applied: { stream: string; files: string[] }[];
  /** The first that fails is the last: those behind it build on it. */
  failed?: { stream: string } & FailedCheck;
}

export interface KeptChanges {
  manifestFile: string;
  text: string;
  manifest: Manifest;
  /** In the order of the waves, without those that are applied already. */
  kept: KeptArtifact[];
}

/** What a run kept that is still to be written. */
export async function findKept(
  { root, stateDir }: ProjectPlace,
  { events }: FoundRun,
  file?: string,
): Promise<KeptChanges> {
  const projection = projectionOf(events);
  const manifestFile = projection.file;
  const { text, manifest: parsed } = await readManifestNow(root, manifestFile);
  const manifest = await withKnownState(stateDir, { file: manifestFile }, parsed);
  const isDone = (id: string) => {
    const stream = manifest.streams.get(id);
    return stream !== undefined && stateOf(stream).appliedAt !== undefined;
  };
  const all = await keptArtifacts(stateDir, projection, manifest);
  const kept = all.filter(
    ({ task, artifact }) =>
      !isDone(task.id) &&
      (file === undefined || artifact.operations.some(({ path }) => path === file)),
  );
  return { manifestFile, text, manifest, kept };
}

export async function applyKept(
  project: ProjectPlace,
  run: FoundRun,
  options: ApplyOptions,
): Promise<AppliedKept> {
  const { runId } = run;
  const { file } = options;
  const { manifestFile, text, manifest, kept } = await findKept(project, run, file);
  if (kept.length === 0) {
    const what = file === undefined ? 'nothing to apply' : `nothing to apply for ${file}`;
    throw new OrchestratorError({ code: 'NOTHING_TO_APPLY', message: `${runId} has ${what}.` });
  }
  const isSandboxed = projectionOf(run.events).sandbox !== undefined;
  const sandboxed = await options.approve(manifest, { isSandboxed });
  return withProjectLock(project, { runId, work: 'apply' }, async () => {
    const { onProblem } = options;
    const checkpoint =
      manifest.notation === 'A'
        ? undefined
        : createCheckpoint({ file: join(project.root, manifestFile), text, onProblem });
    const result: AppliedKept = { runId, manifestFile, applied: [] };
    const sandboxes = await openSandboxes(project.root, { sandbox: sandboxed });
    const sandbox = sandboxes?.commands;
    try {
      for (const each of kept) {
        const stream = each.task.id;
        options.onStream(each.task);
        const site = { ...project, runId, manifestFile, checkpoint, sandbox };
        const outcome = await applyOne(site, each, options);
        if (outcome.kind === 'failed') {
          const { error, output } = outcome;
          return { ...result, failed: { stream, error, output } };
        }
        result.applied.push({ stream, files: outcome.files });
      }
      return result;
    } finally {
      await sandboxes?.run.close();
      await checkpoint?.flush();
      await checkpoint?.close();
    }
  });
}

interface Site extends ProjectPlace {
  runId: string;
  manifestFile: string;
  checkpoint: Checkpoint | undefined;
  sandbox: CommandSandbox | undefined;
}

async function applyOne(site: Site, kept: KeptArtifact, options: ApplyOptions): Promise<Outcome> {
  const { root, stateDir, runId, manifestFile, checkpoint } = site;
  const { task, artifact } = kept;
  const { file } = options;
  const operations = artifact.operations.filter(({ path }) => file === undefined || path === file);
  const protectedPaths = [manifestFile, ...stateWithin(site)];
  const owns = [...task.owns];
  const { isExact = false } = artifact;
  const staged = await stageArtifact({ root, operations, owns, protectedPaths, isExact });
  if (staged.kind === 'rejected') return refusedBy(staged.problems);
  const attempt = await nextAttempt(site, kept);
  const place = { root, stateDir, runId, streamId: task.id, attempt };
  const written = await applyChanges(place, staged.changes);
  if (written.kind === 'conflict') return refusedBy(written.problems);
  const failed = await checkTask(site, { ...task, setup: [] }, options);
  if (failed !== undefined) {
    await undoApplied(site, written.dir);
    return { kind: 'failed', ...failed, error: `${failed.error}; its files were rolled back` };
  }
  // A stream that was written in part is not complete.
  if (operations.length === artifact.operations.length) {
    const appliedAt = options.now().toISOString();
    checkpoint?.set(task.id, { status: 'complete', appliedAt, error: null });
  }
  return { kind: 'applied', files: staged.changes.map(({ path }) => path) };
}

function refusedBy([first]: readonly { path: string; message: string }[]): Outcome {
  return { kind: 'failed', error: `${first?.path}: ${first?.message}`, output: '' };
}

/** The number of the record: one that was undone or that held a single file is not written over. */
async function nextAttempt({ stateDir, runId }: Site, { task, attempt }: KeptArtifact) {
  const records = (await listApplied(stateDir, runId)).filter(
    ({ streamId }) => streamId === task.id,
  );
  return Math.max(attempt, 1 + Math.max(0, ...records.map((record) => record.attempt)));
}
