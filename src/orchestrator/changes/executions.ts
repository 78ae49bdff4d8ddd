// Results of executions, which a server planned and ran, in this project: looked at, written and
// reverted as those of runs are. What was applied is kept, so that it can be shown and reverted
// without the server.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Execution, MillraceClient } from '../../client/index.ts';
import { MillraceError } from '../../client/index.ts';
import { Artifact } from '../../contract/artifact.ts';
import { EXECUTION_ID_PATTERN } from '../../contract/fields.ts';
import { matchId } from '../../domain/run/short-id.ts';
import { listApplied, readApplied, REVERT } from '../apply/record.ts';
import type { FileChange } from '../apply/file-change.ts';
import { stageAll } from '../apply/stage-all.ts';
import type { StagedAll } from '../apply/stage-all.ts';
import { applyChanges } from '../apply/transaction.ts';
import { OrchestratorError } from '../errors.ts';
import { ambiguous } from '../project/find-run.ts';
import { withProjectLock } from '../project/with-lock.ts';
import {
  listExecutionIds,
  listRunIds,
  readRecord,
  runFolderOf,
  writeRecord,
} from '../state/run-folder.ts';
import { stateWithin } from '../state/state-dir.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { appliedChanges } from './applied-changes.ts';
import { toChangedFile } from './changed-file.ts';
import { reasonsOf } from './diff-run.ts';
import type { RunDiff } from './diff-run.ts';
import { forgetReview } from '../review/forget-review.ts';
import { revertApplied } from './revert-applied.ts';

const PREFIX = 'exec_';
const ID_LENGTH = 26;
/** The record of what an execution wrote; no step can be called so. */
export const RECORD = '.execution';
/** An id without its prefix, as it may be shortened: it begins with the time, and so with a digit. */
const BARE_ID = /^[0-7][0-9a-hjkmnp-tv-z]{7,25}$/;

/** The id of an execution that a word names; undefined when it names something else. */
export async function findExecutionId(
  { stateDir }: { stateDir: string },
  word: string | undefined,
  connect: () => Promise<MillraceClient>,
): Promise<string | undefined> {
  if (word === undefined) return undefined;
  if (!word.startsWith(PREFIX)) {
    if (!BARE_ID.test(word)) return undefined;
    if (matchId(await listRunIds(stateDir), word, 'run_').kind !== 'none') return undefined;
  }
  const known = matchId(await listExecutionIds(stateDir), word, PREFIX);
  if (known.kind === 'one') return known.id;
  if (known.kind === 'many') throw ambiguous(word, known.ids);
  const id = word.startsWith(PREFIX) ? word : PREFIX + word;
  return EXECUTION_ID_PATTERN.test(id) ? id : findOnServer(await connect(), id);
}

/** Newest first, and the server takes any id to begin behind: the first page has all that match. */
async function findOnServer(client: MillraceClient, start: string): Promise<string> {
  const first = start.length === PREFIX.length ? `${start}7` : start;
  const before = first.padEnd(PREFIX.length + ID_LENGTH, 'z');
  if (!EXECUTION_ID_PATTERN.test(before)) throw unknownExecution(start);
  const { items } = await client.executions.list({ limit: 10, before });
  const match = matchId(
    items.map(({ id }) => id),
    start,
  );
  if (match.kind === 'many') throw ambiguous(start, match.ids);
  if (match.kind === 'none') throw unknownExecution(start);
  return match.id;
}

function unknownExecution(id: string): OrchestratorError {
  return new OrchestratorError({
    code: 'EXECUTION_NOT_FOUND',
    message: `There is no execution "${id}" on this server.`,
    hint: 'Check the id, and that --url names the server that ran it.',
  });
}

async function fetchExecution(client: MillraceClient, id: string): Promise<Execution> {
  try {
    return await client.executions.get(id);
  } catch (error) {
    if (error instanceof MillraceError && error.status === 404) throw unknownExecution(id);
    throw error;
  }
}

function artifactsOf({ id, result }: Execution, file?: string): Artifact[] {
  const parsed = z.array(Artifact).safeParse(result?.artifacts ?? []);
  if (!parsed.success) {
    const message = `The server's artifacts of ${id} cannot be read.`;
    throw new OrchestratorError({ code: 'ARTIFACT_REJECTED', message });
  }
  if (file === undefined) return parsed.data;
  return parsed.data.map((artifact) => ({
    ...artifact,
    operations: artifact.operations.filter(({ path }) => path === file),
  }));
}

function notComplete(execution: Execution): OrchestratorError {
  const { id, status, progress, result } = execution;
  const { current, total } = progress;
  if (status === 'running') {
    return new OrchestratorError({
      code: 'EXECUTION_NOT_COMPLETE',
      message: `${id} is still running (${current} of ${total} steps done).`,
      hint: 'Try again when it is complete.',
    });
  }
  const why = status === 'cancelled' ? 'was cancelled' : 'failed';
  const error = result?.error === undefined ? '' : `: ${result.error.message}`;
  const count = result?.artifacts.length ?? 0;
  const partial =
    count === 0 ? '' : ` Its result is partial (${current} of ${total} steps) and is not applied.`;
  return new OrchestratorError({
    code: 'EXECUTION_NOT_COMPLETE',
    message: `${id} ${why}${error.replace(/\.?$/, '.')}${partial}`,
    hint: 'Run the task again.',
  });
}

/** Every file that the execution has written here and that was not reverted. */
async function appliedPaths(stateDir: string, id: string): Promise<Set<string>> {
  const paths = new Set<string>();
  for (const { streamId, undone, dir } of await listApplied(stateDir, id)) {
    if (streamId === REVERT) paths.clear();
    else if (!undone) for (const { path } of await readApplied(dir)) paths.add(path);
  }
  return paths;
}

/** Paths that an execution has written into this project and that were not reverted. */
export async function appliedFiles({ stateDir }: ProjectPlace, id: string): Promise<string[]> {
  return [...(await appliedPaths(stateDir, id))].sort();
}

/** Of one that was looked through by hunk, what the review has settled counts as well, written or not. */
export async function settledPaths(stateDir: string, id: string): Promise<Set<string>> {
  const paths = await appliedPaths(stateDir, id);
  const reviewed = await readRecord(reviewedFileOf(stateDir, id), Reviewed);
  if (reviewed === undefined) return paths;
  const entries = await listApplied(stateDir, id);
  const since = entries.slice(entries.findLastIndex(({ streamId }) => streamId === REVERT) + 1);
  const stands = since.some(
    ({ streamId, attempt, undone }) =>
      streamId === RECORD && attempt === reviewed.attempt && !undone,
  );
  return stands ? new Set([...paths, ...reviewed.paths]) : paths;
}

const Reviewed = z.object({
  v: z.literal(1),
  /** Of the record of what was written of it: without that, nothing is settled. */
  attempt: z.int(),
  paths: z.array(z.string()),
});

const reviewedFileOf = (stateDir: string, id: string) =>
  join(runFolderOf(stateDir, id), 'reviewed.json');

/** What a review has left of an execution, as one change. The caller holds the lock. */
export async function writeReviewed(
  { root, stateDir }: ProjectPlace,
  id: string,
  { kept, paths }: { kept: readonly FileChange[]; paths: readonly string[] },
): Promise<void> {
  const attempt = (await listApplied(stateDir, id)).length + 1;
  await writeRecord(reviewedFileOf(stateDir, id), { v: 1, attempt, paths });
  const place = { root, stateDir, runId: id, streamId: RECORD, attempt };
  const written = await applyChanges(place, kept);
  if (written.kind === 'conflict') {
    const [conflict] = reasonsOf([{ stream: id, problems: written.problems }]);
    throw rejectedError(id, conflict!);
  }
}

/** What is not applied yet, on top of the files as they are now. */
export function stageArtifacts(
  project: ProjectPlace,
  artifacts: readonly Artifact[],
  done: ReadonlySet<string>,
): Promise<StagedAll> {
  const left = artifacts.map(({ streamId, operations }) => ({
    stream: streamId,
    operations: operations.filter(({ path }) => !done.has(path)),
    owns: [],
  }));
  return stageAll(left, { root: project.root, protectedPaths: stateWithin(project) });
}

export interface ExecutionDiff extends RunDiff {
  /** The execution did not complete: there may be more to it. */
  isPartial: boolean;
}

export async function diffExecution(
  project: ProjectPlace,
  id: string,
  connect: () => Promise<MillraceClient>,
): Promise<ExecutionDiff> {
  const { net } = await appliedChanges(project.stateDir, id);
  if (net.length > 0) {
    const applied = net.map(toChangedFile);
    return { applied, pending: [], rejected: [], isPartial: false };
  }
  const execution = await fetchExecution(await connect(), id);
  if (execution.status === 'running') throw notComplete(execution);
  const { changes, rejected } = await stageArtifacts(project, artifactsOf(execution), new Set());
  const isPartial = execution.status !== 'completed';
  const pending = changes.map(toChangedFile);
  return { applied: [], pending, rejected: reasonsOf(rejected), isPartial };
}

export interface AppliedExecution {
  files: string[];
  /** Everything that was asked for had been applied before. */
  isRepeated: boolean;
  /** Steps whose model said that its work is not whole. */
  partialSteps: string[];
}

export interface ApplyExecution {
  connect: () => Promise<MillraceClient>;
  file: string | undefined;
  /** Nobody asked for it this time: what was applied before, and perhaps reverted since, stays as it is. */
  isAutomatic?: boolean;
}

/** Throws unless there is something to apply. */
export async function completedExecution(
  client: MillraceClient,
  id: string,
  file?: string,
): Promise<{ execution: Execution; artifacts: Artifact[] }> {
  const execution = await fetchExecution(client, id);
  if (execution.status !== 'completed') throw notComplete(execution);
  const artifacts = artifactsOf(execution, file);
  if (artifacts.some(({ operations }) => operations.length > 0)) return { execution, artifacts };
  const what = execution.dryRun ? 'was a dry run: it has' : 'has';
  const about = file === undefined ? '' : ` for ${file}`;
  throw new OrchestratorError({
    code: 'NOTHING_TO_APPLY',
    message: `${id} ${what} no artifacts${about}.`,
    hint: 'Run the task again, without --dry-run.',
  });
}

/** All of it or nothing. */
export async function applyExecution(
  project: ProjectPlace,
  id: string,
  { connect, file, isAutomatic = false }: ApplyExecution,
): Promise<AppliedExecution> {
  const { artifacts } = await completedExecution(await connect(), id, file);
  const { root, stateDir } = project;
  return withProjectLock(project, { runId: id, work: 'apply' }, async () => {
    const done = await settledPaths(stateDir, id);
    const paths = artifacts.flatMap(({ operations }) => operations.map(({ path }) => path));
    const partial = artifacts.filter(({ status }) => status === 'partial');
    const partialSteps = partial.map(({ streamId }) => streamId);
    const earlier = (await listApplied(stateDir, id)).length;
    if (paths.every((path) => done.has(path)) || (isAutomatic && earlier > 0)) {
      return { files: [], isRepeated: true, partialSteps };
    }
    const { changes, rejected } = await stageArtifacts(project, artifacts, done);
    const [first] = reasonsOf(rejected);
    if (first !== undefined) throw rejectedError(id, first);
    // Of a review that came to nothing and would count with the record that follows.
    await rm(reviewedFileOf(stateDir, id), { force: true });
    const place = { root, stateDir, runId: id, streamId: RECORD, attempt: earlier + 1 };
    const written = changes.length === 0 ? undefined : await applyChanges(place, changes);
    if (written?.kind === 'conflict') {
      const [conflict] = reasonsOf([{ stream: id, problems: written.problems }]);
      throw rejectedError(id, conflict!);
    }
    return { files: changes.map(({ path }) => path), isRepeated: false, partialSteps };
  });
}

export function rejectedError(id: string, { stream, reason }: { stream: string; reason: string }) {
  const step = stream === id ? '' : ` (step ${stream})`;
  return new OrchestratorError({
    code: 'ARTIFACT_REJECTED',
    message: `Nothing was written: ${id}${step} cannot be applied. ${reason}`,
    hint: 'Resolve the conflict, or apply single files with --file.',
  });
}

/** Paths that are as they were; none when nothing was applied, or all of it was reverted. */
export async function revertExecution(
  project: ProjectPlace,
  id: string,
  { force }: { force: boolean },
): Promise<string[]> {
  return withProjectLock(project, { runId: id, work: 'revert' }, async () => {
    const files = (await revertApplied(project, id, { force })) ?? [];
    // What is applied again is looked through again.
    if (files.length > 0) await forgetReview(project.stateDir, id);
    return files;
  });
}
