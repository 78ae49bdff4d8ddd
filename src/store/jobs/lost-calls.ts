// The calls of workers that died: nobody is left to report what they used, but the vendor charges for
// them. What had been reported before is taken as it is, and the call that was under way is estimated. A
// job that was taken is taken to have called, unless it is known to wait: between the two are
// milliseconds.
import { estimateTokenCount } from 'tokenx';
import { readConversation, textsOf } from '../../domain/prompt/conversation.ts';
import type { Price } from '../../domain/usage/largest-cost.ts';
import type { Queryable } from '../postgres/db.ts';
import type { JobEnd, UsedTokens } from './job-outcome.ts';
import { fromJsonText } from '../postgres/json-text.ts';
import { addToMonths } from '../usage/usage-months.ts';
import { recordLateUsage } from './late-usage.ts';
import { usedBefore } from './used-so-far.ts';

export interface LostAttempt {
  id: string;
  attempt: number;
}

interface LostRow {
  id: string;
  run_id: string;
  team_id: string;
  kind: 'job' | 'call';
  provider: string;
  model: string;
  attempt: number;
  /** JSON text, like the pieces of its answer. */
  prompt: string;
  conversation: string | null;
  partial_output: string | null;
  /** Of the partial output. */
  text_generation: number;
  used_so_far: string | null;
  waits: boolean;
  generation: number | null;
  chunks: string[] | null;
}

/** Generations of the text of one attempt: those of later attempts are larger. */
export const GENERATIONS_PER_ATTEMPT = 50;

// The text of the last writing of the attempt: earlier ones belong to calls that broke off.
const FIND = `select j.id, j.run_id, j.team_id, j.kind, j.provider, j.model, v.attempt, j.prompt, j.conversation,
    j.partial_output, j.text_generation, j.used_so_far, t.generation, t.chunks,
    exists (select 1 from job_waits w where w.job_id = j.id and w.until_at > now()) as waits
  from unnest($1::text[], $2::int[]) v(id, attempt) join jobs j on j.id = v.id
  left join lateral (
    select generation, array_agg(chunk order by start_offset) as chunks from streamed_text
    where job_id = j.id and generation >= v.attempt * $3 and generation < (v.attempt + 1) * $3
    group by generation order by generation desc limit 1) t on true
  where v.attempt > 0 and not exists (
    select 1 from usage_ledger l where l.job_id = j.id and l.attempt = v.attempt)`;

/** Counting takes its time, and locks are held meanwhile: a part of a very long text is enough. */
const COUNTED_CHARACTERS = 200_000;

function countTokens(text: string): number {
  const part = text.slice(0, COUNTED_CHARACTERS);
  if (part.length === text.length) return estimateTokenCount(text);
  return Math.ceil((estimateTokenCount(part) * text.length) / part.length);
}

function askedIn({ prompt, conversation }: LostRow): string {
  const text = fromJsonText(prompt);
  if (conversation === null) return text;
  return [...textsOf(readConversation(conversation, text))].join('\n');
}

/** The call that was under way, if there was one after what is known. */
function openCall(
  row: LostRow,
  before: { generation: number } | undefined,
): UsedTokens | undefined {
  const isNew = row.generation !== null && row.generation > (before?.generation ?? -1);
  if (row.waits && !isNew) return undefined;
  if (row.kind === 'call' && before !== undefined) return undefined;
  const isAfter = before === undefined || row.text_generation > before.generation;
  const partial = isAfter && row.partial_output !== null ? [row.partial_output] : [];
  const pieces = isNew ? (row.chunks ?? []) : partial;
  return {
    input: countTokens(askedIn(row)),
    output: countTokens(pieces.map(fromJsonText).join('')),
    cacheRead: 0,
    cacheWrite: 0,
    estimated: true,
    costUsd: 0,
    unpricedCalls: 0,
  };
}

function lostOf(row: LostRow, price: Price | undefined): JobEnd | undefined {
  const before = usedBefore(row.used_so_far, row.attempt);
  const call = openCall(row, before);
  if (call === undefined && before === undefined) return undefined;
  const cost = call && (price?.(row.provider, row.model, call) ?? null);
  const { used } = before ?? {};
  return {
    jobId: row.id,
    runId: row.run_id,
    teamId: row.team_id,
    attempt: row.attempt,
    ending: { kind: 'usage_only' },
    used: {
      input: (used?.input ?? 0) + (call?.input ?? 0),
      output: (used?.output ?? 0) + (call?.output ?? 0),
      cacheRead: used?.cacheRead ?? 0,
      cacheWrite: used?.cacheWrite ?? 0,
      estimated: used?.estimated === true || call !== undefined,
      costUsd: (used?.costUsd ?? 0) + (cost ?? 0),
      unpricedCalls: (used?.unpricedCalls ?? 0) + (cost === null ? 1 : 0),
      savedUsd: used?.savedUsd ?? null,
    },
    textGeneration: 0,
  };
}

/** The caller holds the runs of the jobs. */
export async function recordLostCalls(
  tx: Queryable,
  lost: readonly LostAttempt[],
  price: Price | undefined,
): Promise<void> {
  if (lost.length === 0) return;
  const { rows } = await tx.query<LostRow>(FIND, [
    lost.map(({ id }) => id),
    lost.map(({ attempt }) => attempt),
    GENERATIONS_PER_ATTEMPT,
  ]);
  const used = rows.flatMap((row) => lostOf(row, price) ?? []);
  await addToMonths(tx, await recordLateUsage(tx, used, 'lost'));
}
