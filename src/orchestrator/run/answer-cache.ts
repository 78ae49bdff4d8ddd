// Answers that led to a stream which is complete, by everything that went into the question. A run
// that asks the same again has the answer already: work that did not change costs nothing.
import { readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { NewJob, NewTurn } from '../../client/index.ts';
import { Artifact } from '../../contract/artifact.ts';
import { AssistantMessage } from '../../contract/conversation-api.ts';
import { Tokens } from '../../contract/run-events.ts';
import { sha256 } from '../../platform/sha256.ts';
import { readRecord } from '../state/run-folder.ts';
import type { CallEnd } from './model-caller.ts';
import { makeFolder } from '../../platform/make-folder.ts';

export const KeptAnswer = z.object({
  output: z.string(),
  artifact: Artifact.optional(),
  /** Of a turn of a conversation. */
  assistantMessage: AssistantMessage.optional(),
  tokens: Tokens,
  costUsd: z.number().nullable(),
  simulated: z.boolean(),
});
export type KeptAnswer = z.infer<typeof KeptAnswer>;

export interface AnsweredQuestion {
  job: NewJob | NewTurn;
  end: Extract<CallEnd, { kind: 'answered' }>;
}

export interface AnswerCache {
  find(job: NewJob | NewTurn): Promise<KeptAnswer | undefined>;
  /** As it comes, whatever becomes of it. */
  heard(answered: AnsweredQuestion): void;
  /** Written beside the run, which does not depend on it. */
  keep(answered: readonly AnsweredQuestion[]): void;
  /** When all is written. */
  settled(): Promise<void>;
}

export const NO_ANSWER_CACHE: AnswerCache = {
  find: async () => undefined,
  heard: () => {},
  keep: () => {},
  settled: async () => {},
};

const DAY_MS = 86_400_000;
const MAX_AGE_MS = 30 * DAY_MS;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * All that the model sees or that steers it; not for which run, nor how long it may take, nor at which tier it is
 * processed: that changes the price and the time of an answer, never the answer.
 */
export function keyOf(job: NewJob | NewTurn): string {
  const { runId: _, feature: _f, streamName: _s, waveNumber: _w, timeoutMs: _t, ...rest } = job;
  const { serviceTier: _tier, ...question } = rest;
  return sha256(JSON.stringify(question));
}

export function keptOf(end: AnsweredQuestion['end']): KeptAnswer {
  const { output, artifact, assistantMessage: message, tokens, costUsd, simulated } = end;
  return {
    output,
    ...(artifact && { artifact }),
    ...(message && { assistantMessage: message }),
    tokens,
    costUsd,
    simulated,
  };
}

const NAME = /^[0-9a-f]{64}\.json(?:\.tmp)?$/;

/** The ones that were not used for longest go first. */
async function makeRoom(folder: string, now: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(join(folder, name));
      return { name, size, mtimeMs };
    }),
  );
  files.sort((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  for (const { name, size, mtimeMs } of files) {
    bytes += size;
    if (bytes <= MAX_BYTES && now - mtimeMs <= MAX_AGE_MS) continue;
    await rm(join(folder, name), { force: true });
  }
}

export function openAnswerCache(stateDir: string, { now }: { now(): Date }): AnswerCache {
  const folder = join(stateDir, 'answers');
  const fileOf = (job: NewJob | NewTurn) => join(folder, `${keyOf(job)}.json`);
  let isTidied = false;
  let written: Promise<void> = Promise.resolve();

  async function write(answered: readonly AnsweredQuestion[]): Promise<void> {
    makeFolder(folder, 0o700);
    for (const { job, end } of answered) {
      const file = fileOf(job);
      // Not synced: what a power cut takes is asked again.
      await writeFile(`${file}.tmp`, JSON.stringify(keptOf(end)), { mode: 0o600 });
      await rename(`${file}.tmp`, file);
    }
    if (!isTidied) await makeRoom(folder, now().getTime());
    isTidied = true;
  }

  return {
    async find(job) {
      const file = fileOf(job);
      // What cannot be read is asked again.
      const kept = await readRecord(file, KeptAnswer).catch(() => undefined);
      if (kept) await utimes(file, now(), now()).catch(() => undefined);
      return kept;
    },
    heard() {
      // Only what led to a stream that is complete is worth keeping on this machine.
    },
    keep(answered) {
      if (answered.length === 0) return;
      // A full disk is no reason to fail a run whose files are written.
      written = written.then(() => write(answered)).catch(() => undefined);
    },
    settled: () => written,
  };
}
