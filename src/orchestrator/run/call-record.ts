// What a stream asked, as it was written down before it was sent.
import { z } from 'zod';
import type { NewJob } from '../../client/index.ts';
import { readRecord } from '../state/run-folder.ts';

const text = z.string();
const Call = z.looseObject({
  streamId: text,
  prompt: text,
  model: text,
  maxTokens: z.int().min(1),
  structuredPrompt: z
    .looseObject({ systemContent: text.optional(), projectContext: text.optional() })
    .optional(),
});

export async function readCall(file: string): Promise<NewJob | undefined> {
  return readRecord(file, Call);
}
