// The session of an agent between two attempts at a stream, as the run keeps it on disk: a home, and beside it what it
// belongs to. That is written last, so a home without it was cut short and is not used.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Tokens } from '../../contract/run-events.ts';
import { removeTree } from '../../sandbox/copy/remove-tree.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import { listRunIds, readRecord, sessionsFolderOf, writeRecord } from './run-folder.ts';

export const SessionRecord = z.object({
  session: z.object({
    id: z.string(),
    said: z.object({ tokens: Tokens, estimatedUsd: z.number().exactOptional() }).exactOptional(),
  }),
  /** Which attempt of the stream left it, its fixes counted. */
  round: z.int().min(1),
  model: z.string(),
  program: z.object({
    name: z.string(),
    protocol: z.string(),
    command: z.array(z.string()),
    version: z.string().nullable(),
    /** Of the file: a program of the person's own may have no version. */
    changedAt: z.number(),
    hasOwnLogin: z.boolean(),
  }),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

interface StreamPlace {
  stateDir: string;
  runId: string;
}
type Fixing = { id: string; root?: string };

const folderOf = ({ stateDir, runId }: StreamPlace, { id, root = id }: Fixing): string =>
  join(sessionsFolderOf(stateDir, runId), root);
const recordOf = (folder: string) => join(folder, 'session.json');
const homeOf = (folder: string) => join(folder, 'home');

export interface KeptSession {
  record: SessionRecord;
  home: string;
}

export async function readSession(
  place: StreamPlace,
  task: Fixing,
): Promise<KeptSession | undefined> {
  const folder = folderOf(place, task);
  const record = await readRecord(recordOf(folder), SessionRecord);
  return record && { record, home: homeOf(folder) };
}

/** `fill` puts the files of the home into a new folder. Nothing is kept where it throws. */
export async function writeSession(
  place: StreamPlace,
  task: Fixing,
  record: SessionRecord,
  fill: (home: string) => Promise<void>,
): Promise<void> {
  dropSession(place, task);
  const folder = folderOf(place, task);
  makeFolder(homeOf(folder), 0o700);
  try {
    await fill(homeOf(folder));
    await writeRecord(recordOf(folder), record);
  } catch (error) {
    dropSession(place, task);
    throw error;
  }
}

/** What says that it is whole goes first. */
export function dropSession(place: StreamPlace, task: Fixing): void {
  const folder = folderOf(place, task);
  rmSync(recordOf(folder), { force: true });
  removeTree(folder);
}

export function dropSessions(stateDir: string, runId: string): void {
  removeTree(sessionsFolderOf(stateDir, runId));
}

/** Of runs that were killed or given up: a session is never continued in another run. */
export async function dropOldSessions(stateDir: string, present: string): Promise<void> {
  for (const runId of await listRunIds(stateDir)) {
    if (runId !== present && existsSync(sessionsFolderOf(stateDir, runId)))
      dropSessions(stateDir, runId);
  }
}
