// Whether a sandbox can be had here: a real one is started, in a folder of its own, and looked into.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SandboxUnavailableError, refusedText, remedyOf } from './remedies.ts';
import type { Machine } from './remedies.ts';
import { sandboxEnvironment } from './environment.ts';
import { createSandbox } from './sandbox.ts';

export type Probe =
  /** `lacks` says what is weaker on this machine than elsewhere. */
  | { kind: 'ready'; program: string; copies: 'overlay' | 'copy'; lacks: string[] }
  | { kind: 'unavailable'; remedy: string };

export interface ProbeOptions {
  home: string;
  /** Where copies will be: file systems differ in what they can do. Not created. */
  stateFolder: string;
  programFolders?: readonly string[];
}

const THIS_MACHINE: Machine = {
  exists: existsSync,
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
};

/** The state folder itself may not be there yet. */
function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(join(folder, '..'));
}

function placeFor(stateFolder: string): string {
  try {
    return mkdtempSync(join(nearest(stateFolder), '.millrace-probe-'));
  } catch {
    return mkdtempSync(join(tmpdir(), 'millrace-probe-'));
  }
}

export async function probeSandbox(options: ProbeOptions): Promise<Probe> {
  const place = realpathSync.native(placeFor(options.stateFolder));
  try {
    return await tryOne(place, options);
  } catch (error) {
    if (!(error instanceof SandboxUnavailableError)) throw error;
    return { kind: 'unavailable', remedy: error.message };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

const READY = 'sandboxed';
const NO_OVERLAYS = 'no overlays: dependencies are read-only, copies take longer';

async function tryOne(place: string, { home, programFolders }: ProbeOptions): Promise<Probe> {
  const [stateFolder, folder] = [join(place, 'state'), join(place, 'project')];
  for (const path of [stateFolder, folder]) mkdirSync(path);
  const sandbox = createSandbox({
    stateFolder,
    home,
    ...(programFolders && { programFolders }),
  });
  try {
    const copy = await sandbox.openCopy({
      folder,
      files: [],
      isSecret: () => false,
      dependencies: [],
    });
    const run = await sandbox.start({
      command: ['/bin/sh', '-c', `echo ${READY}`],
      folder: { kind: 'copy', copy },
      environment: sandboxEnvironment({}),
      network: { kind: 'none' },
      limits: { timeoutMs: 20_000 },
    });
    const [ending, said, errors] = await Promise.all([
      run.ended,
      text(run.stdout),
      text(run.stderr),
    ]);
    if (ending.kind === 'exited' && said === `${READY}\n`) {
      return {
        kind: 'ready',
        copies: copy.method,
        program: sandbox.program,
        lacks: [...(copy.dependencies === 'read-only' ? [NO_OVERLAYS] : []), ...sandbox.lacks],
      };
    }
    const message = ending.kind === 'unstartable' ? ending.message : errors;
    return {
      kind: 'unavailable',
      remedy:
        process.platform === 'darwin' ? refusedText(message) : remedyOf(message, THIS_MACHINE),
    };
  } finally {
    await sandbox.close();
  }
}
