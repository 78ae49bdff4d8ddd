// Lines of a journal, read with care: a disk can lose or mix up what was written, and a person can
// edit it. What does not have the shape of an event is not one.
import { z } from 'zod';
import { STREAM_STATUSES } from '../../manifest/model.ts';
import type { RunEvent, RunEventType } from '../../domain/run/events.ts';

const text = z.string();
const count = z.number();
const texts = z.array(text);
const cost = count.nullable();
const Status = z.enum(STREAM_STATUSES);
const Tokens = z.object({ input: count, output: count, cachedInput: count });
const Totals = z.object({
  streams: z.record(Status, count),
  fixes: count,
  tokens: Tokens,
  costUsd: cost,
  durationMs: count,
  filesChanged: texts,
});
const Listed = z.object({ id: text, name: text, wave: count, status: Status, waitsFor: texts });
const attempt = { stream: text, attempt: count };
const command = { ...attempt, phase: z.enum(['setup', 'verify', 'command']), command: text };
const ended = { ...attempt, wave: count, durationMs: count, tokens: Tokens, costUsd: cost };

/** Only what readers rely on: fields that a later release adds are left as they are. */
const SHAPES: Record<RunEventType, z.ZodRawShape> = {
  'run.started': { runId: text, manifest: text, file: text, streams: z.array(Listed) },
  'run.note': { code: text, message: text },
  'stream.started': { ...attempt, wave: count },
  'stream.context': {
    ...attempt,
    omitted: z.array(z.object({ path: text, reason: text })),
  },
  'stream.call': { ...attempt, call: count, key: text },
  'stream.job': { ...attempt, call: count, jobId: text },
  'stream.progress': { ...attempt, outputTokens: count },
  'stream.answer': { ...attempt, call: count, ok: z.boolean(), tokens: Tokens, costUsd: cost },
  'stream.applied': { ...attempt, files: z.array(z.object({ path: text })) },
  'stream.rolled_back': { ...attempt, reason: text },
  'command.started': command,
  'command.finished': { ...command, ok: z.boolean(), output: text.optional() },
  'stream.completed': { ...ended, files: texts },
  'stream.failed': { ...ended, error: text },
  'stream.postponed': { ...attempt, reason: text },
  'stream.fix': { stream: text, fix: text, attempt: count, of: count },
  'stream.status': { stream: text, from: Status, to: Status },
  'run.paused': { reason: text, totals: Totals },
  'run.completed': { totals: Totals },
  'run.failed': { totals: Totals },
  'run.cancelled': { totals: Totals },
};

const Any = z.looseObject({ v: z.literal(1), seq: count, ts: text, type: text });
const CHECKS = new Map(
  Object.entries(SHAPES).map(([type, shape]) => [type, z.looseObject(shape)] as const),
);

/** Undefined when it is not an event. */
export function readEventLine(line: string): RunEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const any = Any.safeParse(value);
  if (!any.success) return undefined;
  const isGood = CHECKS.get(any.data.type)?.safeParse(value).success ?? true;
  return isGood ? (value as RunEvent) : undefined;
}
