// The checks of a branch's streams, once more, on the commit that will be pushed.
import { stateOf } from '../../../manifest/model.ts';
import type { Manifest } from '../../../manifest/model.ts';
import { openSandboxes } from '../../commands/open-sandboxes.ts';
import type { CommandSandboxOptions } from '../../commands/command-sandbox.ts';
import { checkTask } from '../../changes/check-task.ts';
import type { FailedCheck } from '../../changes/check-task.ts';
import type { DescribedCheck } from './describe-request.ts';

export interface CheckPlace {
  /** The project in the folder of the branch. */
  root: string;
  /** Where the project has its installed packages. */
  packagesFrom: string;
  sandbox: CommandSandboxOptions | undefined;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  scrub(text: string): string;
  onCommand(stream: string, command: string): void;
}

export interface CheckedStreams {
  /** Those that passed. */
  checks: DescribedCheck[];
  failed: ({ stream: string } & FailedCheck) | undefined;
}

export async function checkStreams(
  manifest: Manifest,
  { root, packagesFrom, sandbox, env, signal, scrub, onCommand }: CheckPlace,
): Promise<CheckedStreams> {
  const sandboxes = await openSandboxes(root, { sandbox }, packagesFrom);
  const checks: DescribedCheck[] = [];
  const setUp = new Set<string>();
  try {
    for (const stream of manifest.streams.values()) {
      if (stateOf(stream).status !== 'complete') continue;
      const { id, timeoutMs } = stream;
      const setup = 'setup' in stream ? stream.setup.filter((one) => !setUp.has(one)) : [];
      for (const command of setup) setUp.add(command);
      const commands = 'commands' in stream ? stream.commands : [];
      const verify = 'verify' in stream ? stream.verify : [];
      const failed = await checkTask(
        { root, sandbox: sandboxes?.commands },
        { timeoutMs, setup, commands, verify },
        { env, signal, scrub, onCommand: (command) => onCommand(id, command) },
      );
      signal.throwIfAborted();
      if (failed !== undefined) return { checks, failed: { stream: id, ...failed } };
      const critical = commands.filter((one) => one.critical).map(({ command }) => command);
      const passed = [...critical, ...verify];
      checks.push(...passed.map((command) => ({ stream: id, command })));
    }
    return { checks, failed: undefined };
  } finally {
    await sandboxes?.run.close();
  }
}
