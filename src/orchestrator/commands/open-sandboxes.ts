import type { CommandSandbox, CommandSandboxOptions } from './command-sandbox.ts';
import type { RunSandbox, SandboxPlace } from './run-sandbox.ts';

export interface Sandboxes {
  run: RunSandbox;
  /** Undefined where commands run as the user does. */
  commands: CommandSandbox | undefined;
}

/** Undefined, and nothing is loaded, where nothing runs in a sandbox. */
export async function openSandboxes(
  root: string,
  wanted: {
    sandbox?: CommandSandboxOptions | undefined;
    agents?: { place: SandboxPlace } | undefined;
  },
  packagesFrom?: string,
): Promise<Sandboxes | undefined> {
  const place = wanted.sandbox ?? wanted.agents?.place;
  if (place === undefined) return undefined;
  const { createRunSandbox } = await import('./run-sandbox.ts');
  const run = createRunSandbox(root, place, packagesFrom);
  if (wanted.sandbox === undefined) return { run, commands: undefined };
  const { createCommandSandbox } = await import('./command-sandbox.ts');
  return { run, commands: createCommandSandbox(run, wanted.sandbox) };
}
