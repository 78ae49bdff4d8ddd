// Whether a sandbox can be had here: a real one is started, in a folder of its own, and looked into.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findCgroups } from './linux/cgroup.ts';
import { processNumbers } from './linux/launch.ts';
import { SandboxUnavailableError, remedyOf } from './remedies.ts';
import type { Machine } from './remedies.ts';
import { sandboxEnvironment } from './environment.ts';
import { createSandbox } from './sandbox.ts';

export type Probe =
  /** `lacks` says what is weaker on this machine than elsewhere. */
  | { kind: 'ready'; copies: 'overlay' | 'copy'; lacks: string[] }
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

function lacksOf(copies: string, hasCgroups: boolean): string[] {
  const lacks: string[] = [];
  if (copies === 'copy') lacks.push('no overlays: dependencies are read-only, copies take longer');
  if (hasCgroups) return lacks;
  lacks.push(
    'no control groups (cgroups v2): memory of all processes together is read ten times a second',
  );
  if (process.getuid?.() === 0 && processNumbers(1) === 0) {
    lacks.push('as root before Linux 6.14, processes are counted but not held by the kernel');
  }
  return lacks;
}

export async function probeSandbox(options: ProbeOptions): Promise<Probe> {
  if (process.platform !== 'linux') {
    return { kind: 'unavailable', remedy: 'Sandboxes run on Linux only so far.' };
  }
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
        lacks: lacksOf(copy.method, findCgroups('/bin/sh') !== undefined),
      };
    }
    const message = ending.kind === 'unstartable' ? ending.message : errors;
    return { kind: 'unavailable', remedy: remedyOf(message, THIS_MACHINE) };
  } finally {
    await sandbox.close();
  }
}
