// How far the streams of a manifest are where its file does not say so: in notation A, and on a branch. It is derived
// from the journals of its runs, oldest first: what a later run did to a stream counts.
import { NOT_STARTED } from '../../manifest/model.ts';
import type { Manifest, StreamState } from '../../manifest/model.ts';
import type { StreamRecord } from '../../domain/run/replay.ts';
import { createReplay } from '../../domain/run/replay.ts';
import { REVERT, listApplied } from '../apply/record.ts';
import type { AppliedEntry } from '../apply/record.ts';
import { readJournal } from '../state/journal.ts';
import { journalOf, listRunIds } from '../state/run-folder.ts';

/** Those of one manifest, in the person's own files or on one branch. */
export interface RunsOfManifest {
  file: string;
  /** The run that made the branch. */
  origin?: string | undefined;
}

/** Undefined when the run did nothing about the stream. */
function stateAfter(stream: StreamRecord, applied: AppliedEntry[]): StreamState | undefined {
  const { status, attempt: attempts, error } = stream;
  if (status === 'skipped' && stream.skippedBy === 'user') return { status, attempts };
  if (attempts === 0) return undefined;
  // What was kept by `--apply never` is done once `millrace apply` has written it.
  const appliedAt = stream.appliedAt ?? applied.findLast(({ undone }) => !undone)?.appliedAt;
  if (status === 'complete' && appliedAt !== undefined) return { status, attempts, appliedAt };
  if (status === 'failed') return { status, attempts, ...(error !== undefined && { error }) };
  return { status: 'pending', attempts };
}

async function readStates(
  stateDir: string,
  { file, origin }: RunsOfManifest,
): Promise<Map<string, StreamState>> {
  const states = new Map<string, StreamState>();
  for (const runId of await listRunIds(stateDir)) {
    const { events } = await readJournal(journalOf(stateDir, runId));
    const [first] = events;
    if (first?.type !== 'run.started' || first.file !== file) continue;
    if (first.branch?.origin !== origin) continue;
    const applied = await listApplied(stateDir, runId);
    const isReverted = applied.some(({ streamId }) => streamId === REVERT);
    for (const [id, stream] of createReplay(events).record.streams) {
      const state = stateAfter(
        stream,
        applied.filter(({ streamId }) => streamId === id),
      );
      if (state === undefined) continue;
      const wasReverted = isReverted && state.status === 'complete';
      states.set(id, wasReverted ? { status: 'pending', attempts: 0 } : state);
    }
  }
  return states;
}

/** The manifest with what its runs have done; one of notation B says so itself, of the person's own files. */
export async function withKnownState(
  stateDir: string,
  runs: RunsOfManifest,
  manifest: Manifest,
): Promise<Manifest> {
  if (manifest.notation === 'B') {
    if (runs.origin === undefined) return manifest;
    const states = await readStates(stateDir, runs);
    const streams = [...manifest.streams].map(([id, stream]) => {
      const { error: _, appliedAt: _applied, skippedBy: _skipped, ...rest } = stream;
      return [id, { ...rest, ...(states.get(id) ?? NOT_STARTED) }] as const;
    });
    return { ...manifest, streams: new Map(streams) };
  }
  const states = await readStates(stateDir, runs);
  const streams = [...manifest.streams].map(([id, stream]) => {
    const state = states.get(id);
    return [id, state === undefined ? stream : { ...stream, state }] as const;
  });
  return { ...manifest, streams: new Map(streams) };
}
