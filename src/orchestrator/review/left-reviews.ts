// Reviews in the browser that were taken back because their run was stopped: what was said in one is there again when a
// later run asks about the same changes of the stream.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { MillraceClient } from '../../client/index.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { GateQuestion } from '../run/ask-approval.ts';
import { readRecord, writeRecord } from '../state/run-folder.ts';

const Left = z.object({ v: z.literal(1), approvalId: z.string() });

interface Place {
  stateDir: string;
  options: { client: MillraceClient };
}

type Question = Pick<GateQuestion, 'streamId' | 'hash'>;

const fileOf = ({ stateDir }: Pick<Place, 'stateDir'>, { streamId, hash }: Question) =>
  join(stateDir, 'left-reviews', `${sha256(JSON.stringify([streamId, hash]))}.json`);

/** The same question, with what was said before. A server that knows nothing of that is asked anew. */
export async function withLeftReview(place: Place, question: GateQuestion): Promise<GateQuestion> {
  const { review } = question;
  if (review === undefined || review.about.previous !== undefined) return question;
  const left = await readRecord(fileOf(place, question), Left);
  if (left === undefined) return question;
  const { approvalId: previous } = left;
  const known = await place.options.client.reviews.get(previous).catch(() => undefined);
  if (known === undefined) return question;
  return { ...question, review: { ...review, about: { ...review.about, previous } } };
}

export async function noteLeftReview(
  place: Pick<Place, 'stateDir'>,
  question: Question,
  approvalId: string,
): Promise<void> {
  await writeRecord(fileOf(place, question), { v: 1, approvalId });
}

export async function forgetLeftReview(
  place: Pick<Place, 'stateDir'>,
  question: Question,
): Promise<void> {
  await rm(fileOf(place, question), { force: true });
}
