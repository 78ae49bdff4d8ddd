// What a run keeps on disk beside its journal, in `.millrace/runs/<run>`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeWholeFile } from '../../platform/whole-file.ts';

export function stateDirOf(root: string): string {
  return join(root, '.millrace');
}

/** Prompts and copies of files are nothing for version control; settings may be. */
const IGNORED = '# What Millrace keeps for itself.\n*\n!/config.yaml\n';

export function makeStateDir(root: string): void {
  mkdirSync(stateDirOf(root), { recursive: true });
  try {
    writeFileSync(join(stateDirOf(root), '.gitignore'), IGNORED, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

export function runFolderOf(root: string, runId: string): string {
  return join(stateDirOf(root), 'runs', runId);
}

export function journalOf(root: string, runId: string): string {
  return join(runFolderOf(root, runId), 'journal.jsonl');
}

/** Newest last: ids of runs sort by the time they were made. */
export async function listRunIds(root: string): Promise<string[]> {
  try {
    const entries = await readdir(join(stateDirOf(root), 'runs'));
    return entries.filter((name) => name.startsWith('run_')).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** On disk, whole, before it returns. */
export async function writeRecord(file: string, value: unknown): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  await writeWholeFile(file, JSON.stringify(value), { mode: 0o600, draft: `${file}.tmp` });
}

export async function readRecord<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function callFileOf(
  root: string,
  runId: string,
  call: { stream: string; attempt: number; call: number },
): string {
  const name = `${call.stream}.${call.attempt}.${call.call}.json`;
  return join(runFolderOf(root, runId), 'calls', name);
}

export function artifactFileOf(root: string, runId: string, stream: string): string {
  return join(runFolderOf(root, runId), 'artifacts', `${stream}.json`);
}

export function fixFileOf(root: string, runId: string, fix: string): string {
  return join(runFolderOf(root, runId), 'fixes', `${fix}.json`);
}
