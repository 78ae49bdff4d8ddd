import { z } from 'zod';
import { defineTool, failed } from '../tool.ts';
import { placeToWrite } from '../write-file.ts';

export const deleteFile = defineTool({
  name: 'delete',
  description: 'Deletes a file.',
  shape: z.object({ path: z.string() }),
  hasEffects: true,
  argument: ({ path }) => path,
  async run({ path: written }, world) {
    const place = placeToWrite(written, world);
    if (place.kind === 'refused') return place.result;
    const { path } = place;
    const answer = await world.bench.ask('remove', { path });
    if (answer.kind === 'failed') return failed(`${path} was not deleted: ${answer.error}`);
    return { text: `${path} is deleted.`, changed: true };
  },
});
