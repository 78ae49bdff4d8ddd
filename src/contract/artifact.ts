import { z } from 'zod';
import { ARTIFACT_STATUSES } from './artifact-status.ts';

const executable = z.boolean().optional().describe('Whether the file can be run as a program.');
const path = z.string().describe('Path relative to the project root, with `/`.');
const baseSha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .optional()
  .describe(
    'SHA-256 of the file the change is based on. If the file differs, the change conflicts.',
  );

export const TextEdit = z.object({
  oldText: z.string().min(1),
  newText: z.string(),
  replaceAll: z.boolean().optional(),
  wholeLines: z
    .boolean()
    .optional()
    .describe(
      'Both texts are whole lines, as in an edits block. If only the indentation in front of `oldText` is missing, the lines are indented as in the file.',
    ),
});
export type TextEdit = z.infer<typeof TextEdit>;

// A plain union although the members differ in `type`: zod wants one member for each value of a
// discriminator, and an edit has two shapes.
export const Operation = z.union([
  z.object({ type: z.literal('create'), path, content: z.string(), executable }),
  z.object({ type: z.literal('edit'), path, edits: z.array(TextEdit).min(1), baseSha256 }),
  z.object({ type: z.literal('edit'), path, content: z.string(), baseSha256, executable }),
  z.object({ type: z.literal('delete'), path, baseSha256 }),
]);
export type Operation = z.infer<typeof Operation>;

export const Artifact = z.object({
  streamId: z.string(),
  status: z.enum(ARTIFACT_STATUSES),
  operations: z.array(Operation),
  filesChanged: z.array(z.string()),
  summary: z.string(),
});
export type Artifact = z.infer<typeof Artifact>;
