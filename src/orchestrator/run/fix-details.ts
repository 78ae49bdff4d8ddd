// Fix streams, and what each gets to know about the failure.
import { z } from 'zod';
import { asNewStream, fixId, isTakenIn, makeFix } from '../../domain/run/fix-stream.ts';
import type { FixStream } from '../../domain/run/fix-stream.ts';
import { attemptsFor } from '../../domain/run/ladder-climb.ts';
import { attemptsSinceReview, chainSinceReview } from '../../domain/run/replay.ts';
import type { StreamFailure } from '../../domain/run/failure-class.ts';
import type { FixDetails } from '../../domain/prompt/fix-lines.ts';
import { headAndTailOf } from '../../domain/prompt/prompt-text.ts';
import { unifiedDiff } from '../apply/diff.ts';
import { appliedDirOf, readApplied } from '../apply/record.ts';
import { ReviewRequest } from '../review/held-record.ts';
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
      checks: z.string().optional(),
    }),
  ),
  error: z.string(),
  diff: z.string(),
  answer: z.string().optional(),
  earlier: z.array(z.string()).optional(),
  review: ReviewRequest.optional(),
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

const KEPT_OUTPUT = 64 * 1024;
const KEPT_TEXT = 64 * 1024;
const KEPT_ERROR = 300;

interface Failed {
  stream: string;
  attempt: number;
  failure: StreamFailure;
  error: string;
  answer: string | undefined;
}

export async function fixDetailsOf(
  context: RunContext,
  { stream, attempt, failure, error, answer }: Failed,
  count: { attempt: number; of: number },
): Promise<FixDetails> {
  // No failure of an attempt: nothing went wrong.
  if (failure.kind === 'review') {
    return { failed: [], error: '', diff: '', review: failure.asked, ...count };
  }
  const results = 'results' in failure ? failure.results : [];
  const failed = results
    .filter(({ exitCode, timedOut }) => exitCode !== 0 || timedOut)
    .map(({ command, exitCode, timedOut, output, checks }) => ({
      command,
      exitCode,
      timedOut,
      output: context.options.scrub(headAndTailOf(output, KEPT_OUTPUT)),
      ...(checks !== undefined && { checks }),
    }));
  const diff = await triedDiff(context, stream, attempt);
  const said = answer === undefined ? {} : { answer: headAndTailOf(answer, KEPT_TEXT) };
  const { review } = (await readFixDetails(context, stream)) ?? {};
  const asked = review === undefined ? {} : { review };
  return {
    failed,
    error,
    diff,
    ...said,
    ...asked,
    earlier: earlierErrors(context, stream),
    ...count,
  };
}

/** Of the same stream and its fixes, without the last one. */
function earlierErrors({ replay, scheduler }: RunContext, stream: string): string[] {
  const { root = stream } = scheduler.stream(stream);
  const { streams } = replay.record;
  return chainSinceReview(replay.record, root).flatMap((id) => {
    const error = id === stream ? undefined : streams.get(id)?.error;
    return error === undefined ? [] : [error.slice(0, KEPT_ERROR)];
  });
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
  return headAndTailOf(changes.map(unifiedDiff).join('\n'), KEPT_TEXT);
}

/** The stream that tries to fix another one; undefined when no attempt is left for it. */
export function fixFor(
  { manifest, tasks, options, replay }: RunContext,
  rootId: string,
  attempts: number,
): FixStream | undefined {
  const counted = attemptsSinceReview(replay.record, rootId, attempts);
  if (counted >= attemptsFor(tasks.get(rootId)!.ladder, options)) return undefined;
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
