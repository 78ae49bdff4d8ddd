// What a run keeps on disk beside its journal, in `runs/<run>` of the project's state folder.
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { EXECUTION_ID_PATTERN } from '../../contract/fields.ts';
import { writeWholeFile } from '../../platform/whole-file.ts';
import { parseState } from './parse-state.ts';
import { StateDamagedError } from './state-errors.ts';
import { makeFolder } from '../../platform/make-folder.ts';

export function runFolderOf(stateDir: string, runId: string): string {
  return join(stateDir, 'runs', runId);
}

export function journalOf(stateDir: string, runId: string): string {
  return join(runFolderOf(stateDir, runId), 'journal.jsonl');
}

const RUN_ID = /^run_[A-Za-z0-9_-]{1,60}$/;

/** Newest last: ids of runs sort by the time they were made. */
export function listRunIds(stateDir: string): Promise<string[]> {
  return listFolders(stateDir, RUN_ID);
}

/** Of executions whose results were applied here. */
export function listExecutionIds(stateDir: string): Promise<string[]> {
  return listFolders(stateDir, EXECUTION_ID_PATTERN);
}

async function listFolders(stateDir: string, isId: RegExp): Promise<string[]> {
  try {
    const entries = await readdir(join(stateDir, 'runs'), { withFileTypes: true });
    const ids = entries.filter((entry) => entry.isDirectory() && isId.test(entry.name));
    return ids.map(({ name }) => name).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The folder says which run it is; a journal that says something else is another run's. */
export function checkRunId(stateDir: string, folder: string, runId: string): void {
  if (folder === runId) return;
  throw new StateDamagedError(journalOf(stateDir, folder), `it is the journal of ${runId}`);
}

/** On disk, whole, before it returns. */
export async function writeRecord(file: string, value: unknown): Promise<void> {
  makeFolder(dirname(file));
  await writeWholeFile(file, JSON.stringify(value), { mode: 0o600, draft: `${file}.tmp` });
}

export async function readRecord<T>(file: string, shape: z.ZodType<T>): Promise<T | undefined> {
  try {
    return parseState(file, await readFile(file, 'utf8'), shape);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function callFileOf(
  stateDir: string,
  runId: string,
  call: { stream: string; attempt: number; call: number },
): string {
  const name = `${call.stream}.${call.attempt}.${call.call}.json`;
  return join(runFolderOf(stateDir, runId), 'calls', name);
}

/** Turns of an agent; not questions whose answer is the whole work. */
export function turnFileOf(
  stateDir: string,
  runId: string,
  { stream, attempt, call }: { stream: string; attempt: number; call: number },
): string {
  return join(runFolderOf(stateDir, runId), 'calls', `${stream}.${attempt}.${call}.turn.json`);
}

export function artifactFileOf(stateDir: string, runId: string, stream: string): string {
  return join(runFolderOf(stateDir, runId), 'artifacts', `${stream}.json`);
}

export function fixFileOf(stateDir: string, runId: string, fix: string): string {
  return join(runFolderOf(stateDir, runId), 'fixes', `${fix}.json`);
}

/** Where the copy of an agent's attempt is. */
export function copyFileOf(
  stateDir: string,
  runId: string,
  { stream, attempt }: { stream: string; attempt: number },
): string {
  return join(copiesFolderOf(stateDir, runId), `${stream}.${attempt}.json`);
}

/** Also those that a person wants to keep. */
export const copiesFolderOf = (stateDir: string, runId: string): string =>
  join(runFolderOf(stateDir, runId), 'copies');

/** What agents remember between two attempts at a stream. */
export const sessionsFolderOf = (stateDir: string, runId: string): string =>
  join(runFolderOf(stateDir, runId), 'sessions');

/** The repository's instructions as they were when the run began. */
export function instructionsFileOf(stateDir: string, runId: string): string {
  return join(runFolderOf(stateDir, runId), 'instructions.json');
}
