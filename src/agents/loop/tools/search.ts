import { z } from 'zod';
import { defineTool, failed } from '../tool.ts';
import { SHOWN_BYTES } from '../tool-limits.ts';
import { readPath } from '../tool-path.ts';

export const search = defineTool({
  name: 'search',
  description:
    'Finds lines that match a regular expression, as path:line:text. Narrow it with a folder or a glob if there are too many.',
  shape: z.object({
    pattern: z.string().min(1).max(2000).describe('A regular expression for one line'),
    path: z.string().optional().describe('A folder or file; the whole project if left out'),
    glob: z.string().min(1).max(500).optional().describe('Names of files, such as *.ts'),
    ignoreCase: z.boolean().optional(),
  }),
  argument: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
  async run({ pattern, path: written = '', glob, ignoreCase = false }, world) {
    const place = readPath(written, { folder: world.folder, mayBeRoot: true });
    if (place.kind === 'refused') return failed(`${written}: ${place.why}`);
    const answer = await world.bench.ask('search', {
      path: place.path,
      pattern,
      glob: glob ?? null,
      ignoresCase: ignoreCase,
      maxBytes: SHOWN_BYTES,
    });
    if (answer.kind === 'failed') return failed(answer.error);
    const { text, isTimedOut, isCut } = answer.value;
    const lines = text
      .split('\n')
      .filter((line) => line !== '' && !world.isHidden(/^(.*?):\d+:/.exec(line)?.[1] ?? line));
    if (isTimedOut) lines.push('[The search took too long and was ended; use a simpler pattern]');
    else if (isCut) lines.push('[There are more; narrow the search]');
    return { text: lines.length === 0 ? 'No line matches.' : lines.join('\n') };
  },
});
