// The copy of an attempt of an agent, as the run keeps it on disk: where it is, for a person who wants to see it.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { copiesFolderOf, readRecord } from './run-folder.ts';

export const CopyRecord = z.object({
  stream: z.string(),
  attempt: z.int().min(1),
  openedAt: z.string(),
  /** How the attempt ended; null while it is under way. */
  ended: z.enum(['failed', 'stopped']).nullable(),
  /** Where it is as long as the run lasts. */
  place: z.object({
    workplace: z.string(),
    tree: z.string(),
    overlay: z.object({ rights: z.enum(['root', 'user']), layers: z.array(z.string()) }).nullable(),
    dependencies: z.array(z.string()),
    repository: z.object({ folder: z.string(), commit: z.string() }).nullable(),
  }),
  /** A folder that outlives the run. */
  kept: z.string().nullable(),
});
export type CopyRecord = z.infer<typeof CopyRecord>;

const SUFFIX = '.json';

/** Those of a run, the oldest first. */
export async function readCopyRecords(stateDir: string, runId: string): Promise<CopyRecord[]> {
  const folder = copiesFolderOf(stateDir, runId);
  const names = await readdir(folder).catch(() => []);
  const records: CopyRecord[] = [];
  for (const name of names) {
    // One may be removed meanwhile: its attempt is done.
    const record = name.endsWith(SUFFIX)
      ? await readRecord(join(folder, name), CopyRecord)
      : undefined;
    if (record !== undefined) records.push(record);
  }
  return records.sort((a, b) => (a.openedAt < b.openedAt ? -1 : 1));
}
