// Complete streams whose files are no longer what was applied: after `git checkout .`, for example. Their
// state says that the work is done, and nothing else would mention that it is gone.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createReplay } from '../../domain/run/replay.ts';
import { sha256 } from '../../platform/sha256.ts';
import { realDisk } from '../apply/disk.ts';
import { isExecutable, modeAfter } from '../apply/file-change.ts';
import { readJournalFile } from '../apply/journal-file.ts';
import type { Version } from '../apply/journal-file.ts';
import { listApplied } from '../apply/record.ts';
import { readJournal } from '../state/journal.ts';
import { journalOf, listExecutionIds, listRunIds } from '../state/run-folder.ts';
import type { ProjectPlace } from '../state/state-dir.ts';

/** What runs wrote is read for it: not the whole history of a project. */
const MOST_RUNS = 50;

export interface ChangedSince {
  id: string;
  /** Those that differ, sorted. */
  files: string[];
}

interface LastWrite {
  appliedAt: string;
  after: Version;
  /** Undefined where no run has said anything about it: then it is the person's. */
  canRun: boolean | undefined;
}

interface Written {
  last: Map<string, LastWrite>;
  /** Of the streams of this manifest. */
  paths: Map<string, Set<string>>;
}

/** Fixes of the run with the streams that they fix; undefined when it is a run of another manifest. */
async function fixesIn(stateDir: string, runId: string, file: string) {
  const { events } = await readJournal(journalOf(stateDir, runId));
  const [first] = events;
  if (first?.type !== 'run.started' || first.file !== file) return undefined;
  return createReplay(events).record.fixes;
}

async function readWritten(
  stateDir: string,
  file: string,
  streams: ReadonlySet<string>,
): Promise<Written> {
  const written: Written = { last: new Map(), paths: new Map() };
  const runs = (await listRunIds(stateDir)).slice(-MOST_RUNS);
  const executions = (await listExecutionIds(stateDir)).slice(-MOST_RUNS);
  for (const id of [...executions, ...runs]) {
    const applied = await listApplied(stateDir, id);
    if (applied.length === 0) continue;
    const fixes = executions.includes(id) ? undefined : await fixesIn(stateDir, id, file);
    const ownerOf = (streamId: string) => fixes?.get(streamId) ?? streamId;
    // A stream that ran again is judged by what it wrote last.
    if (fixes) for (const { streamId } of applied) written.paths.delete(ownerOf(streamId));
    for (const { dir, streamId, undone, appliedAt } of applied) {
      if (undone) continue;
      for (const file of (await readJournalFile(realDisk, dir))?.files ?? []) {
        const { path, after } = file;
        const known = written.last.get(path);
        if (known === undefined || known.appliedAt <= appliedAt) {
          const canRun = bitSetBy(file) ?? (file.before === null ? undefined : known?.canRun);
          written.last.set(path, { appliedAt, after, canRun });
        }
        const owner = ownerOf(streamId);
        if (fixes === undefined || !streams.has(owner)) continue;
        const paths = written.paths.get(owner) ?? new Set();
        written.paths.set(owner, paths.add(path));
      }
    }
  }
  return written;
}

/** The executable bit after a write, where the write changed it. */
function bitSetBy(file: { before: Version; mode: number; newMode?: number | undefined }) {
  const canRun = isExecutable(modeAfter(file));
  return canRun === (file.before !== null && isExecutable(file.mode)) ? undefined : canRun;
}

async function isAsWritten(path: string, { after, canRun }: LastWrite): Promise<boolean> {
  try {
    if (sha256(await readFile(path)) !== after) return false;
    return canRun === undefined || isExecutable((await stat(path)).mode) === canRun;
  } catch {
    // Gone, or no file any more.
    return after === null;
  }
}

/** Of these streams of a manifest; `file` is its path in the project. */
export async function changedSince(
  { root, stateDir }: ProjectPlace,
  file: string,
  streams: ReadonlySet<string>,
): Promise<ChangedSince[]> {
  if (streams.size === 0) return [];
  const { last, paths } = await readWritten(stateDir, file, streams);
  const differing = new Map<string, boolean>();
  for (const path of new Set([...paths.values()].flatMap((each) => [...each]))) {
    differing.set(path, !(await isAsWritten(join(root, path), last.get(path)!)));
  }
  return [...streams].flatMap((id) => {
    const files = [...(paths.get(id) ?? [])].filter((path) => differing.get(path)).sort();
    return files.length === 0 ? [] : [{ id, files }];
  });
}
