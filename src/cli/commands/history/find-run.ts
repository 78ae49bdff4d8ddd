// The run that a command is about.
import type { MillraceClient } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import { wholeId } from '../../short-ids.ts';

/** Far enough back for what anybody types by hand. */
const PAGES = 10;

export async function findRunId(client: MillraceClient, asked: string): Promise<string> {
  return wholeId(asked, {
    type: 'run',
    noun: 'run',
    listCommand: commandLine('history'),
    async find(start) {
      const found: string[] = [];
      let seen = 0;
      for await (const { id } of client.runs()) {
        if (id.startsWith(start)) found.push(id);
        seen += 1;
        if (seen >= PAGES * 100) break;
      }
      return found;
    },
  });
}

/** Run ids may be the caller's own, so anything may be whole: the server is asked first. */
export async function findRun(client: MillraceClient, asked: string) {
  try {
    return await client.getRun(asked);
  } catch (error) {
    if ((error as { status?: number }).status !== 404) throw error;
    const id = await findRunId(client, asked);
    if (id === asked) throw error;
    return client.getRun(id);
  }
}
