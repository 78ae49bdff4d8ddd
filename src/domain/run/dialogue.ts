// What one attempt at a stream has shown to the model and heard from it so far. It is kept with each
// question, so that a process that takes over continues with the last one.
import { z } from 'zod';
import { Operation } from '../../contract/artifact.ts';
import type { StreamContext } from './context-files.ts';

const Extent = z.enum(['whole', 'part']);

const ShownFile = z.object({ sha256: z.string(), extent: Extent });
export type ShownFile = z.infer<typeof ShownFile>;

export const Dialogue = z.object({
  /** What each file was when the model was asked. */
  shown: z.array(z.tuple([z.string(), ShownFile])),
  /** Of the answers so far, what can be used. */
  kept: z.array(Operation),
  /** Files that an answer changed in a way that cannot be used: the next one has to. */
  owed: z.array(z.string()),
  /** How often it was shown files that it asked for, and how often it was asked again. */
  readRounds: z.int(),
  reasks: z.int(),
  /** It was given room for a longer answer. */
  isLonger: z.boolean(),
});
export type Dialogue = z.infer<typeof Dialogue>;

export const NEW_DIALOGUE: Dialogue = {
  shown: [],
  kept: [],
  owed: [],
  readRounds: 0,
  reasks: 0,
  isLonger: false,
};

export function shownBy({ files }: Pick<StreamContext, 'files'>): Dialogue['shown'] {
  return files.map(({ path, sha256, included }) => [
    path,
    { sha256, extent: included === 'full' ? 'whole' : 'part' },
  ]);
}

/** The last time a file was shown counts. */
export function withShown({ shown }: Dialogue, more: Dialogue['shown']): Dialogue['shown'] {
  return [...new Map([...shown, ...more])];
}
