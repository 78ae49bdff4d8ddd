// The checks of a branch's streams, once more, on the commit that will be pushed.
import { stateOf } from '../../../manifest/model.ts';
import type { Manifest } from '../../../manifest/model.ts';
import { outcomeOf } from '../../../domain/run/command-end.ts';
import { openSandboxes } from '../../commands/open-sandboxes.ts';
import type { CommandSandboxOptions } from '../../commands/command-sandbox.ts';
import { isOk, runSetup, runVerify, runWorkflowCommands } from '../../commands/run-command.ts';
import type { CommandContext } from '../../commands/run-command.ts';
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

export interface FailedCheck {
  stream: string;
  error: string;
  output: string;
}

export interface CheckedStreams {
  checks: DescribedCheck[];
  failed: FailedCheck | undefined;
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
      const context: CommandContext = {
        root,
        env,
        timeoutMs,
        signal,
        scrub,
        onStart: (command) => onCommand(id, command),
        ...(sandboxes?.commands && { sandbox: sandboxes.commands }),
      };
      const setup = 'setup' in stream ? stream.setup.filter((one) => !setUp.has(one)) : [];
      for (const command of setup) setUp.add(command);
      const prepared = await runSetup(setup, context);
      const outcome = !prepared.ok
        ? prepared
        : 'commands' in stream
          ? await runWorkflowCommands(stream.commands, context)
          : await runVerify(stream.verify, context);
      signal.throwIfAborted();
      const judged = outcome.results.filter(({ critical }) => critical);
      if (prepared.ok) {
        checks.push(...judged.map((one) => ({ stream: id, command: one.command, ok: isOk(one) })));
      }
      const bad = judged.find((result) => !isOk(result));
      if (!outcome.ok && bad !== undefined) {
        const error = `${bad.command} ${outcomeOf(bad)}`;
        return { checks, failed: { stream: id, error, output: bad.output } };
      }
    }
    return { checks, failed: undefined };
  } finally {
    await sandboxes?.run.close();
  }
}
