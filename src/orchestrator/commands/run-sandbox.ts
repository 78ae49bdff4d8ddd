// The sandbox of a run: commands and agents work in copies of the project that share what does not change.
import { isSecret } from '../../domain/artifact/secret-path.ts';
import { createWalker } from '../../project/walk.ts';
import type { Copy } from '../../sandbox/copy/copy.ts';
import type { RunBase } from '../../sandbox/copy/run-base.ts';
import type { Limits } from '../../sandbox/limits.ts';
import type { Reach } from '../../sandbox/network/proxy.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** Where sandboxes are made. */
export interface SandboxPlace {
  /** Of all projects; never visible inside. */
  stateHome: string;
  /** The user's; tools are looked for there. */
  home: string;
  limits?: Partial<Limits>;
  reach?: Partial<Reach>;
  /** There is no sandbox, and the person has said that agents may work without one. */
  isWithout?: boolean;
}

export interface RunSandbox {
  sandbox: Sandbox;
  limits: Partial<Limits>;
  /** The project as it is now, at its own path. What is written to dependencies is kept only where it is asked for. */
  openCopy(use: { keepsDependencies: boolean }): Promise<Copy>;
  close(): Promise<void>;
}

/** `packagesFrom`: the project whose installed packages are used, where the root has none of its own. */
export function createRunSandbox(
  root: string,
  place: SandboxPlace,
  packagesFrom: string = root,
): RunSandbox {
  const { stateHome, home, limits = {}, reach, isWithout = false } = place;
  const where = { stateFolder: stateHome, home, isWithout };
  const sandbox = createSandbox({ ...where, ...(reach && { reach }) });
  const walker = createWalker(root);
  const layer = sandbox.openLayer();
  let base: Promise<RunBase> | undefined;
  return {
    sandbox,
    limits,
    async openCopy({ keepsDependencies }) {
      const { listing } = await walker.walk();
      const source = {
        folder: root,
        dependenciesOf: packagesFrom,
        files: [...listing.files, ...listing.links],
        isSecret,
      };
      base ??= sandbox.openBase(source);
      return sandbox.openCopy({ ...source, base: await base, layer, keepsDependencies });
    },
    close: () => sandbox.close(),
  };
}
