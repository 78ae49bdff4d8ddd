// Undoes what a run has written; its streams wait again.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectionOf } from '../../domain/run/projection.ts';
import type { RunProjection, StreamRow } from '../../domain/run/projection.ts';
import { createReplay, isResumable } from '../../domain/run/replay.ts';
import { atRest, totalsOf } from '../../domain/run/totals.ts';
import { parseManifest } from '../../manifest/text/parse.ts';
import type { MillraceClient } from '../../client/index.ts';
import type { RunEvent, RunEventBody } from '../../contract/run-events.ts';
import type { OpenCall } from '../../domain/run/replay.ts';
import type { FoundRun } from '../project/find-run.ts';
import { endOpenTokens, hasOpenTokens } from '../run/agent-tokens.ts';
import type { AttemptPlace } from '../run/agent-tokens.ts';
import { withProjectLock } from '../project/with-lock.ts';
import { createCheckpoint } from '../state/checkpoint.ts';
import { openJournal, readJournal } from '../state/journal.ts';
import { dropBranch } from '../git/drop-branch.ts';
import { readBranch } from '../state/branch-record.ts';
import { journalOf } from '../state/run-folder.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { revertApplied } from './revert-applied.ts';

export interface Reverted {
  files: string[];
  /** Streams of the manifest that wait again. */
  streams: string[];
  manifestFile: string;
}

export interface RevertOptions {
  /** Also files that were changed since. */
  force: boolean;
  onProblem(message: string): void;
  /** The server of the run: what agents of a process that is gone may still call models with is ended there. */
  client?(): Promise<MillraceClient>;
}

/** The branch that the run worked on, which goes with all that runs have done there. */
export async function revertBranch(
  project: ProjectPlace,
  { runId, events }: FoundRun,
  { client }: Pick<RevertOptions, 'client'>,
): Promise<{ branch: string; commits: number | undefined }> {
  const record = await readBranch(project.stateDir, runId);
  if (record === undefined) throw new Error(`${runId} has no branch`);
  return withProjectLock(project, { runId, work: 'revert' }, async () => {
    const commits = await dropBranch(project, record);
    const projection = projectionOf(events);
    const files = [...projection.streams.values()].flatMap(({ changes }) =>
      changes.map(({ path }) => path),
    );
    const reverted = { files: [...new Set(files)], streams: completedIn(projection) };
    if (commits !== undefined) await noteInJournal(project, runId, { ...reverted, client });
    return { branch: record.branch, commits };
  });
}

export async function revertRun(
  project: ProjectPlace,
  { runId, events }: FoundRun,
  { force, onProblem, client }: RevertOptions,
): Promise<Reverted> {
  const projection = projectionOf(events);
  const manifestFile = projection.file;
  return withProjectLock(project, { runId, work: 'revert' }, async () => {
    const files = await revertApplied(project, runId, { force });
    if (files === undefined) return { files: [], streams: [], manifestFile };
    const streams = await resetManifest(project.root, projection, onProblem);
    await noteInJournal(project, runId, { files, streams: completedIn(projection), client });
    return { files, streams, manifestFile };
  });
}

function completedIn({ streams }: RunProjection): string[] {
  return [...streams.values()].filter(hasWorked).map(({ id }) => id);
}

function hasWorked({ status, attempt, fixes }: StreamRow): boolean {
  return status === 'complete' && (attempt > 0 || fixes.length > 0);
}

/**
 * A run that could still be resumed is over with that: its journal says that the work is done, and
 * the next run must do it anew.
 */
async function noteInJournal(
  { stateDir }: ProjectPlace,
  runId: string,
  { client, ...reverted }: { files: string[]; streams: string[]; client: RevertOptions['client'] },
): Promise<void> {
  const file = journalOf(stateDir, runId);
  const { events, bytes } = await readJournal(file);
  const replay = createReplay(events, bytes);
  const { record } = replay;
  const now = () => new Date();
  const journal = await openJournal(file, { now, from: { seq: record.lastSeq, bytes } });
  try {
    const isOpen = isResumable(record);
    for (const [stream, { open, attempt }] of isOpen ? record.streams : []) {
      // Keeps what was answered for the next run.
      if (open === undefined) continue;
      const emit = (body: RunEventBody) => {
        const event = journal.append(body);
        replay.follow(event);
        return event;
      };
      await endTokens(emit, { stream, attempt }, open.calls, client);
      journal.append({ type: 'stream.postponed', stream, attempt, reason: 'reverted' });
    }
    journal.append({ type: 'run.reverted', ...reverted });
    const durationMs = Date.parse(events.at(-1)!.ts) - Date.parse(record.startedAt);
    const totals = atRest(totalsOf(record, durationMs));
    if (isOpen) journal.append({ type: 'run.cancelled', totals, reason: 'reverted' });
  } finally {
    await journal.close();
  }
}

/** A server that cannot be asked now ends them when they are not renewed. */
async function endTokens(
  emit: (body: RunEventBody) => RunEvent,
  place: AttemptPlace,
  calls: readonly OpenCall[],
  client: RevertOptions['client'],
): Promise<void> {
  if (client === undefined || !hasOpenTokens(calls)) return;
  try {
    await endOpenTokens({ emit, options: { client: await client() } }, place, calls);
  } catch {
    // As said above.
  }
}

/** Streams that the run completed wait again, so that the next run does them anew. */
async function resetManifest(
  root: string,
  projection: RunProjection,
  onProblem: (message: string) => void,
): Promise<string[]> {
  const file = join(root, projection.file);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  const parsed = parseManifest(text, { file: projection.file });
  if (parsed.kind === 'invalid') {
    onProblem(`${projection.file} is not valid now and was left as it is.`);
    return [];
  }
  // In notation A the next run sees from the record of the revert that the streams wait again.
  const isReadOnly = parsed.manifest.notation === 'A';
  const checkpoint = createCheckpoint({ file, text, isReadOnly, onProblem });
  const reset: string[] = [];
  for (const row of projection.streams.values()) {
    const stream = parsed.manifest.streams.get(row.id);
    if (stream === undefined) continue;
    if (row.fixOf !== undefined) checkpoint.removeStream(row.id);
    else if (hasWorked(row)) {
      checkpoint.set(row.id, { status: 'pending', appliedAt: null, error: null, attempts: 0 });
      // One that the user had set back already is not our doing.
      const isSetBack =
        'status' in stream && stream.status === 'pending' && stream.appliedAt === undefined;
      if (!isSetBack) reset.push(row.id);
    }
  }
  if (reset.length > 0) checkpoint.setRunStatus('pending');
  await checkpoint.flush();
  await checkpoint.close();
  return reset;
}
