// The execution that a command is about.
import type { MillraceClient } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import { wholeId } from '../../short-ids.ts';

const MOST_CANDIDATES = 10;
const WHOLE = 'exec_'.length + 26;

export function findExecutionId(client: MillraceClient, asked: string): Promise<string> {
  return wholeId(asked, {
    type: 'exec',
    noun: 'execution',
    listCommand: commandLine('exec', 'list'),
    async find(start) {
      // Ids sort by time: the page before the last id that begins so begins with all that do.
      const before = start.padEnd(WHOLE, 'z');
      const { items } = await client.executions.list({ before, limit: MOST_CANDIDATES });
      return items.map(({ id }) => id).filter((id) => id.startsWith(start));
    },
  });
}
