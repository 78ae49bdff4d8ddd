// The schedule that a command is about.
import type { MillraceClient } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import { wholeId } from '../../short-ids.ts';

export function findScheduleId(client: MillraceClient, asked: string): Promise<string> {
  return wholeId(asked, {
    type: 'sch',
    noun: 'schedule',
    listCommand: commandLine('schedules', 'list'),
    async find(start) {
      const { items } = await client.schedules.list();
      return items.map(({ id }) => id).filter((id) => id.startsWith(start));
    },
  });
}
