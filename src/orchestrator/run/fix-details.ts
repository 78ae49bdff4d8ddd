// Fix streams, and what each is told about the failure.
import { z } from 'zod';
import { asNewStream, fixId, isTakenIn, makeFix } from '../../domain/run/fix-stream.ts';
import type { FixStream } from '../../domain/run/fix-stream.ts';
import type { StreamFailure } from '../../domain/run/failure-class.ts';
import type { FixDetails } from '../../domain/prompt/fix-lines.ts';
import { unifiedDiff } from '../apply/diff.ts';
import { appliedDirOf, readApplied } from '../apply/record.ts';
import { fixFileOf, readRecord } from '../state/run-folder.ts';
import type { Checkpoint } from '../state/checkpoint.ts';
import type { RunContext } from './context.ts';

const Details: z.ZodType<FixDetails> = z.object({
  failed: z.array(
    z.object({
      command: z.string(),
      exitCode: z.number().nullable(),
      timedOut: z.boolean(),
      output: z.string(),
    }),
  ),
  error: z.string(),
  diff: z.string(),
  attempt: z.number(),
  of: z.number(),
});

/** As an earlier part of the run wrote it down. */
export async function readFixDetails(
  { stateDir, runId }: Pick<RunContext, 'stateDir' | 'runId'>,
  fix: string,
): Promise<FixDetails | undefined> {
  return readRecord(fixFileOf(stateDir, runId, fix), Details);
}

const KEPT_OUTPUT = 8 * 1024;
const KEPT_DIFF = 16 * 1024;

interface Failed {
  stream: string;
  attempt: number;
  failure: StreamFailure;
  error: string;
}

export async function fixDetailsOf(
  context: RunContext,
  { stream, attempt, failure, error }: Failed,
  count: { attempt: number; of: number },
): Promise<FixDetails> {
  const results = 'results' in failure ? failure.results : [];
  const failed = results
    .filter(({ exitCode, timedOut }) => exitCode !== 0 || timedOut)
    .map(({ command, exitCode, timedOut, output }) => ({
      command,
      exitCode,
      timedOut,
      output: context.options.scrub(output.slice(-KEPT_OUTPUT)),
    }));
  const diff = await triedDiff(context, stream, attempt);
  return { failed, error, diff, ...count };
}

/** What was written and rolled back. */
async function triedDiff(
  context: Pick<RunContext, 'root' | 'stateDir' | 'runId'>,
  streamId: string,
  attempt: number,
): Promise<string> {
  const { root, stateDir, runId } = context;
  const record = appliedDirOf({ root, stateDir, runId, streamId, attempt });
  if ((await record.state()) === 'none') return '';
  const changes = await readApplied(record.dir);
  return changes.map(unifiedDiff).join('\n').slice(0, KEPT_DIFF);
}

/** The stream that tries to fix another one; undefined when no attempt is left for it. */
export function fixFor(
  { manifest, tasks, maxAttempts }: RunContext,
  rootId: string,
  attempts: number,
): FixStream | undefined {
  if (attempts >= maxAttempts) return undefined;
  const root = manifest.streams.get(rootId);
  if (root === undefined) return undefined;
  const isTaken = isTakenIn(manifest.streams, rootId);
  const isOther = (id: string) => isTaken(id) || (tasks.get(id)?.root ?? rootId) !== rootId;
  return makeFix(root, attempts, fixId(rootId, attempts, isOther));
}

/** Where the manifest keeps state: one of notation A does not. */
export function addToManifest(checkpoint: Checkpoint, fix: FixStream): void {
  if (!('description' in fix)) checkpoint.addStream(asNewStream(fix));
}
