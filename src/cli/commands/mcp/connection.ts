// The server behind the tools. It is looked for, or started, at the first call that needs it: an
// assistant starts this process with every session, whether the tools are used or not.
import { setTimeout as delay } from 'node:timers/promises';
import type { RunServer } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { note } from '../../terminal/output.ts';
import { serverOf } from '../../remote.ts';

/** A person waits for the answer, and can ask again. */
const RETRIES = 2;
/** Of one try: enough for all files of a task on a slow line. */
const TRY_MS = 20_000;

export interface Connection {
  open(): Promise<RunServer>;
  close(): Promise<void>;
}

/** Another session may be stopping its server, or starting one: theirs is then there in a moment. */
const IN_USE_MS = 20_000;
const IN_USE_STEP_MS = 250;

/** By its name: the class is loaded from elsewhere, together with the server. */
const isInUse = (error: unknown) => error instanceof Error && error.name === 'DataFolderInUseError';

async function findOrStart(options: CommandOptions): Promise<RunServer> {
  for (const until = Date.now() + IN_USE_MS; ;) {
    try {
      return await findToolServer(options, false);
    } catch (error) {
      if (!isInUse(error) || Date.now() >= until) throw error;
      await delay(IN_USE_STEP_MS);
    }
  }
}

export function findToolServer(options: CommandOptions, isIdle: boolean): Promise<RunServer> {
  const onLimited = () => note("The server's rate limit is reached.");
  return serverOf(options, {
    client: { onLimited, maxRetries: RETRIES, tryTimeoutMs: TRY_MS },
    isIdle,
  });
}

async function isAway({ url }: RunServer): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2000) });
    return !answer.ok;
  } catch {
    return true;
  }
}

export function createConnection(options: CommandOptions): Connection {
  let current: Promise<RunServer> | undefined;

  function find(): Promise<RunServer> {
    const finding = findOrStart(options);
    current = finding;
    finding.catch(() => {
      if (current === finding) current = undefined;
    });
    return finding;
  }

  return {
    async open() {
      const finding = current ?? find();
      const found = await finding;
      if (found.isOwn || !(await isAway(found))) return found;
      // Another call may have noticed before, and look already.
      return current === finding || current === undefined ? find() : current;
    },
    async close() {
      const found = await current?.catch(() => undefined);
      await found?.close();
    },
  };
}
