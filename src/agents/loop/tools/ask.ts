import { z } from 'zod';
import { defineTool } from '../tool.ts';

export const ask = defineTool({
  name: 'ask',
  description:
    'Asks the person who started the run. Only for a decision that is theirs and that you cannot find out.',
  shape: z.object({ question: z.string().min(1).max(4000) }),
  argument: ({ question }) => question,
  async run({ question }, world) {
    const answer = (await world.ask(question))?.trim();
    if (answer === undefined || answer === '') {
      return { text: 'Nobody can answer now. Decide yourself.' };
    }
    return { text: answer };
  },
});
