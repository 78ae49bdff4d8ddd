// The job that a command is about.
import type { MillraceClient } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import { wholeId } from '../../short-ids.ts';

const MOST_CANDIDATES = 10;

export function findJobId(client: MillraceClient, asked: string): Promise<string> {
  return wholeId(asked, {
    type: 'job',
    noun: 'job',
    listCommand: commandLine('job', 'list'),
    async find(start) {
      const { items } = await client.listJobs({ id: start, limit: MOST_CANDIDATES });
      return items.map(({ jobId }) => jobId);
    },
  });
}
