// The run in the history of its server. The server knows the jobs; only here is known what became
// of their answers.
import type { MillraceClient } from '../../client/index.ts';
import type { RunStatus } from '../../contract/history-api.ts';
import { isSimulatedModel } from '../../domain/model/model-routing.ts';
import type { RunRecord } from '../../domain/run/replay.ts';
import type { RunTask } from './task.ts';

export interface HistoryEntry {
  runId: string;
  feature: string;
  status: RunStatus;
  startedAt: string;
  durationMs: number;
  waves: ReadonlyMap<string, number>;
  tasks: ReadonlyMap<string, RunTask>;
  record: RunRecord;
}

/** Of a stream that a fix completed, the model of that fix. */
function modelOf({ tasks, record }: HistoryEntry, streamId: string): { model?: string } {
  const fix = [...record.fixes].find(
    ([id, root]) => root === streamId && record.streams.get(id)?.status === 'complete',
  );
  const model = tasks.get(fix?.[0] ?? streamId)?.model;
  // Nothing was asked for a stream that had been done before, or was left out.
  const isAsked = (record.streams.get(streamId)?.attempt ?? 0) > 0;
  return isAsked && model ? { model: model.slice(0, 200) } : {};
}

/** Undefined when it was recorded, else why not: a run is not a failure because of its record. */
export async function recordHistory(
  client: MillraceClient,
  entry: HistoryEntry,
): Promise<string | undefined> {
  const { runId, feature, status, startedAt, durationMs, waves, tasks, record } = entry;
  const streams = [...record.streams].map(([streamId, stream]) => ({
    streamId,
    name: (tasks.get(streamId)?.name ?? streamId).slice(0, 200),
    status: stream.status,
    waveNumber: waves.get(record.fixes.get(streamId) ?? streamId) ?? 1,
    filesChanged: stream.files,
    tokensInput: stream.tokens.input,
    tokensOutput: stream.tokens.output,
    // Where the server has no job of it, what is recorded counts as spent.
    costUsd: isSimulatedModel(tasks.get(streamId)?.model ?? '') ? 0 : stream.costUsd,
    ...(stream.unpricedCalls > 0 ? { unpricedCalls: stream.unpricedCalls } : {}),
    ...modelOf(entry, streamId),
  }));
  const waveCount = Math.max(0, ...waves.values());
  const run = { feature: feature.slice(0, 200), status, startedAt, durationMs, waveCount };
  try {
    await client.recordRun(runId, { run, streams });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
