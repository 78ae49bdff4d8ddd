import { z } from 'zod';
import { defineTool } from '../tool.ts';

export const done = defineTool({
  name: 'done',
  description: 'Ends your work, when the files are as the task wants them.',
  shape: z.object({ summary: z.string().max(10_000).describe('What you changed, briefly') }),
  argument: () => '',
  run: async ({ summary }) => ({ text: 'The changes are checked now.', done: summary }),
});
