import { z } from 'zod';
import { defineTool, failed } from '../tool.ts';
import { MAX_FILE_BYTES, SHOWN_BYTES, SHOWN_LINES } from '../tool-limits.ts';
import { readPath } from '../tool-path.ts';

export const read = defineTool({
  name: 'read',
  description: `Shows lines of a file, each with its number and a tab in front, which are not part of the file. At most ${SHOWN_LINES} lines at once; the end of the answer says how to read on.`,
  shape: z.object({
    path: z.string().describe('Relative to the root of the project'),
    from: z.int().min(1).optional().describe('The first line; 1 if left out'),
    count: z.int().min(1).optional().describe('How many lines'),
  }),
  argument: ({ path, from }) => (from === undefined ? path : `${path}:${from}`),
  async run({ path: written, from = 1, count = SHOWN_LINES }, world) {
    const place = readPath(written, world);
    if (place.kind === 'refused') return failed(`${written}: ${place.why}`);
    const { path } = place;
    if (world.isHidden(path)) return failed(`${path} is not part of what you may read.`);
    const answer = await world.bench.ask('lines', {
      path,
      from,
      count: Math.min(count, SHOWN_LINES),
      maxBytes: MAX_FILE_BYTES,
      maxChars: SHOWN_BYTES,
    });
    if (answer.kind === 'failed') return failed(`${path}: ${answer.error}`);
    const { lines, total } = answer.value;
    if (total === 0) return { text: `${path} is empty.` };
    if (lines.length === 0) return failed(`${path} has ${total} lines.`);
    const last = from + lines.length - 1;
    const text = lines.map((line, at) => `${from + at}\t${line}`).join('\n');
    const isWhole = from === 1 && last === total;
    if (isWhole) return { text };
    const next = last < total ? `; read on from line ${last + 1}` : '';
    return { text: `${text}\n[Lines ${from} to ${last} of ${total}${next}]` };
  },
});
