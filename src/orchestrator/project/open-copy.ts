// A folder with what the agent of a stream has written so far, or had when its attempt failed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectionOf } from '../../domain/run/projection.ts';
import { PictureError, openedFolder, takePicture } from '../../sandbox/copy/picture.ts';
import { OrchestratorError } from '../errors.ts';
import { readCopyRecords } from '../state/copy-record.ts';
import type { CopyRecord } from '../state/copy-record.ts';
import { keepCopy } from '../state/keep-copy.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { findStream, stateOfRun } from './find-run.ts';
import type { FoundRun } from './find-run.ts';

export interface OpenedCopy {
  runId: string;
  /** Or a fix of the one that was asked for. */
  stream: string;
  attempt: number;
  state: 'running' | 'failed' | 'stopped' | 'interrupted';
  folder: string;
  /** It outlives the run. */
  isKept: boolean;
}

const NAME = 'copy';

function whyNone(run: FoundRun, id: string, hadOne: boolean): OrchestratorError {
  const { runId } = run;
  const items = [runId, id];
  const no = (message: string) => new OrchestratorError({ code: 'NO_COPY', message, items });
  const row = projectionOf(run.events).streams.get(id);
  if (hadOne) return no(`The copy of ${id} is gone: it stays until ${runId} ends.`);
  if (row === undefined || row.attempt === 0) {
    return no(`${id} has not been started in ${runId}, so there is no copy of it.`);
  }
  if (row.agent === undefined) {
    return no(`${id} was answered by a model. Only agents work in a copy.`);
  }
  if (row.status === 'complete') {
    return no(
      `${id} is complete: what its agent changed is in your project, and its copy is gone.`,
    );
  }
  return no(`There is no copy of ${id} in ${runId}: its agent has not begun, or was stopped.`);
}

async function folderOf(
  project: ProjectPlace,
  runId: string,
  record: CopyRecord,
  keep: boolean,
): Promise<string> {
  if (keep) return keepCopy({ stateDir: project.stateDir, runId }, record);
  const { place, stream, attempt } = record;
  const folder = join(openedFolder(place, `${stream}.${attempt}`), NAME);
  await takePicture(place, folder, { isKept: false });
  return folder;
}

/** The newest attempt of the stream, its fixes included, that has one. */
export async function openAgentCopy(
  project: ProjectPlace,
  run: FoundRun,
  asked: string,
  { keep }: { keep: boolean },
): Promise<OpenedCopy> {
  const { runId } = run;
  const { id, ids } = findStream(run, asked);
  const records = await readCopyRecords(project.stateDir, runId);
  const record = records.findLast(({ stream }) => ids.has(stream));
  if (record === undefined) throw whyNone(run, id, false);
  const { stream, attempt, ended, kept } = record;
  const isAtWork = stateOfRun(project.stateDir, run) === 'running';
  const state: OpenedCopy['state'] = ended ?? (isAtWork ? 'running' : 'interrupted');
  const about = { runId, stream, attempt, state };
  // One at work is shown as it is now.
  if (kept !== null && existsSync(kept) && ended !== null) {
    return { ...about, folder: kept, isKept: true };
  }
  if (!existsSync(record.place.workplace)) throw whyNone(run, id, true);
  try {
    return { ...about, folder: await folderOf(project, runId, record, keep), isKept: keep };
  } catch (error) {
    if (!(error instanceof PictureError)) throw error;
    const message = `The copy of ${stream} could not be opened. ${error.message}`;
    throw new OrchestratorError({ code: 'NO_COPY', message, items: [runId, id] });
  }
}

/** Folders of a run that are still there after it. */
export async function keptCopies({ stateDir }: ProjectPlace, runId: string): Promise<string[]> {
  const records = await readCopyRecords(stateDir, runId);
  return records.flatMap(({ kept }) => (kept !== null && existsSync(kept) ? [kept] : []));
}
