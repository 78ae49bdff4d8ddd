// The request that was opened for the branch of a run.
import {
  findRun,
  findRunOfRequest,
  manifestOnBranch,
  readRequest,
} from '../../../orchestrator/index.ts';
import type { RequestRecord } from '../../../orchestrator/index.ts';
import { CommandError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import { plain } from '../../terminal/plain-text.ts';
import type { Project } from '../runs/project.ts';

export interface KnownRequest {
  runId: string;
  branch: string;
  request: RequestRecord & { number: number };
}

/** As in 12, #12, !12, or the address of its page. */
const NUMBER = /^(?:[#!]|https?:\/\/[^?#\s]{1,300}\/(?:pull|merge_requests)\/)?(\d{1,9})$/;

/** `asked`: a run, or the number of a request. */
export async function knownRequest(
  project: Project,
  asked: string | undefined,
): Promise<KnownRequest> {
  const number = NUMBER.exec(asked ?? '')?.[1];
  const named =
    number === undefined ? asked : await findRunOfRequest(project.stateDir, Number(number));
  if (number !== undefined && named === undefined) {
    throw new CommandError({
      code: 'NO_REQUEST',
      message: `No run of this project has opened the pull request ${plain(asked!)}.`,
      hint: `Name the run instead: ${commandLine('runs')}`,
    });
  }
  const run = await findRun(project.stateDir, named);
  const { record } = await manifestOnBranch(project, run);
  const request = await readRequest(project.stateDir, record.origin);
  if (request?.number == null) {
    throw new CommandError({
      code: 'NO_REQUEST',
      message: `There is no pull request for ${plain(record.branch)} yet.`,
      hint: `Open one with: ${commandLine('pr', run.runId)}`,
    });
  }
  return {
    runId: run.runId,
    branch: record.branch,
    request: { ...request, number: request.number },
  };
}
