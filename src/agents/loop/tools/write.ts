import { z } from 'zod';
import { inFormOf } from '../../../domain/artifact/file-form.ts';
import { defineTool, failed } from '../tool.ts';
import { placeToWrite, putText, textBefore } from '../write-file.ts';

export const write = defineTool({
  name: 'write',
  description:
    'Creates a file with this text, or replaces a whole file. For a small change of a file use edit.',
  shape: z.object({ path: z.string(), content: z.string() }),
  hasEffects: true,
  argument: ({ path }) => path,
  async run({ path: written, content }, world) {
    const place = placeToWrite(written, world);
    if (place.kind === 'refused') return place.result;
    const { path } = place;
    const before = await textBefore(path, world);
    if (before.kind === 'refused') return before.result;
    const text = before.kind === 'text' ? inFormOf(before.text, content) : content;
    if (before.kind === 'text' && text === before.text)
      return failed(`${path} has this text already.`);
    const trouble = await putText(path, text, world);
    if (trouble !== undefined) return trouble;
    return {
      text: `${path} is ${before.kind === 'none' ? 'created' : 'replaced'}.`,
      changed: true,
    };
  },
});
