// The newest execution of a workspace. It is kept with the state of the project: a client that gave up
// on a call has no id, and its process may be another one by now.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MillraceClient } from '../client/index.ts';
import { EXECUTION_ID_PATTERN } from '../contract/fields.ts';
import { makeStateDir } from '../orchestrator/index.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import type { Workspace } from './deps.ts';
import { ToolError } from './tool-error.ts';

const FILE = 'latest-execution';

export async function rememberLatest(workspace: Workspace | undefined, id: string): Promise<void> {
  if (workspace === undefined) return;
  const { stateDir } = workspace;
  try {
    await makeStateDir(workspace);
    const options = { mode: 0o600, draft: join(stateDir, `.${FILE}.${id}.tmp`) };
    await writeWholeFile(join(stateDir, FILE), `${id}\n`, options);
  } catch {
    // The execution runs and will be paid for: its id in the answer is worth more than this file.
  }
}

export function readLatest({ stateDir }: Workspace): string | undefined {
  try {
    return readFileSync(join(stateDir, FILE), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** The execution that a caller names. */
export async function findId(
  client: MillraceClient,
  workspace: Workspace | undefined,
  asked: string,
): Promise<string> {
  const id = asked === 'latest' ? await findLatest(client, workspace) : asked;
  if (EXECUTION_ID_PATTERN.test(id)) return id;
  throw new ToolError({
    code: 'NOT_FOUND',
    message: `There is no execution ${JSON.stringify(asked)}`,
    hint: 'Use the executionId of millrace_execute, or "latest".',
  });
}

async function findLatest(
  client: MillraceClient,
  workspace: Workspace | undefined,
): Promise<string> {
  const id =
    workspace === undefined
      ? (await client.executions.list({ limit: 1, mine: true })).items[0]?.id
      : readLatest(workspace);
  if (id !== undefined) return id;
  throw new ToolError({
    code: 'NOT_FOUND',
    message: 'No execution was started here yet',
    hint: 'Start one with millrace_execute.',
  });
}
