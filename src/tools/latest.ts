// The newest execution of a session, or of a workspace. The latter is kept with the state of the project: a client that gave up
// on a call has no id, and its process may be another one by now.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MillraceClient } from '../client/index.ts';
import { EXECUTION_ID_PATTERN } from '../contract/fields.ts';
import { makeStateDir } from '../orchestrator/index.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import type { SessionDeps, Workspace } from './deps.ts';
import type { Origin } from './headline.ts';
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

export interface FoundId {
  id: string;
  origin?: Origin;
}

/** The execution that a caller names. */
export async function findId(
  client: MillraceClient,
  deps: SessionDeps,
  asked: string,
): Promise<FoundId> {
  const found = asked === 'latest' ? await findLatest(client, deps) : { id: asked };
  if (EXECUTION_ID_PATTERN.test(found.id)) return found;
  throw new ToolError({
    code: 'NOT_FOUND',
    message: `There is no execution ${JSON.stringify(asked)}`,
    hint: 'Use the executionId of millrace_execute, or "latest".',
  });
}

/**
 * The one of this session: two assistants in one project must not mistake each other's for their own. A
 * session that has none is often the one before, started again.
 */
async function findLatest(
  client: MillraceClient,
  { workspace, attempts }: SessionDeps,
): Promise<FoundId> {
  const own = attempts.latest();
  if (own !== undefined) return { id: own };
  const id =
    workspace === undefined
      ? (await client.executions.list({ limit: 1, mine: true })).items[0]?.id
      : readLatest(workspace);
  if (id !== undefined) return workspace === undefined ? { id } : { id, origin: 'earlier session' };
  throw new ToolError({
    code: 'NOT_FOUND',
    message: 'No execution was started here yet',
    hint: 'Start one with millrace_execute.',
  });
}
