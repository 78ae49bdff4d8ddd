import { z } from 'zod';
import { applyEdits } from '../../../domain/artifact/apply-edits.ts';
import { editProblem } from '../../../domain/artifact/edit-problem.ts';
import { defineTool, failed } from '../tool.ts';
import { placeToWrite, putText, textBefore } from '../write-file.ts';

export const edit = defineTool({
  name: 'edit',
  description:
    'Replaces texts in a file. Each oldText must be in the file exactly once, with its indentation and without line numbers. All edits are made, or none.',
  shape: z.object({
    path: z.string(),
    edits: z
      .array(
        z.object({
          oldText: z.string().min(1),
          newText: z.string(),
          replaceAll: z.boolean().optional().describe('Every place where oldText is'),
        }),
      )
      .min(1)
      .max(200),
  }),
  hasEffects: true,
  argument: ({ path }) => path,
  async run({ path: written, edits }, world) {
    const place = placeToWrite(written, world);
    if (place.kind === 'refused') return place.result;
    const { path } = place;
    const before = await textBefore(path, world);
    if (before.kind === 'refused') return before.result;
    if (before.kind === 'none') return failed(`${path}: there is no such file; use write.`);
    const asked = edits.map(({ replaceAll, ...texts }) => ({
      ...texts,
      ...(replaceAll !== undefined && { replaceAll }),
    }));
    const applied = applyEdits(before.text, asked);
    if (applied.kind === 'failed') {
      const lines = applied.failures.slice(0, 10).map((failure) => {
        const { message, nearest } = editProblem(path, failure);
        return nearest === undefined || nearest === '' ? message : `${message}\n${nearest}`;
      });
      return failed(`${path} was not changed.\n${lines.join('\n')}`);
    }
    if (applied.text === before.text) return failed(`${path}: the edits change nothing.`);
    const trouble = await putText(path, applied.text, world);
    if (trouble !== undefined) return trouble;
    const count = edits.length === 1 ? '1 edit' : `${edits.length} edits`;
    return { text: `${path} is changed (${count}).`, changed: true };
  },
});
