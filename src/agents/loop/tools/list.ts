import { z } from 'zod';
import { defineTool, failed } from '../tool.ts';
import { SHOWN_ENTRIES } from '../tool-limits.ts';
import { readPath } from '../tool-path.ts';

export const list = defineTool({
  name: 'list',
  description: `Lists the files and folders in a folder; folders end with "/". At most ${SHOWN_ENTRIES} at once.`,
  shape: z.object({
    path: z.string().optional().describe('A folder; the root of the project if left out'),
    recursive: z.boolean().optional().describe('Also what is in the folders below'),
  }),
  argument: ({ path = '.' }) => path,
  async run({ path: written = '', recursive = false }, world) {
    const place = readPath(written, { folder: world.folder, mayBeRoot: true });
    if (place.kind === 'refused') return failed(`${written}: ${place.why}`);
    const { path } = place;
    const asked = { path, isDeep: recursive, max: SHOWN_ENTRIES };
    const answer = await world.bench.ask('list', asked);
    if (answer.kind === 'failed') return failed(`${path || '.'}: ${answer.error}`);
    const { entries, isCut } = answer.value;
    const shown = entries.filter((entry) => !world.isHidden(entry.path));
    if (shown.length === 0) return { text: 'The folder is empty.' };
    const marks = { folder: '/', link: ' (link)', other: ' (no plain file)', file: '' };
    const lines = shown.map((entry) => `${entry.path}${marks[entry.kind]}`);
    if (isCut) lines.push('[There are more; list the folders one by one]');
    return { text: lines.join('\n') };
  },
});
