// The folders of an overlay, and whether this machine mounts one. Not asked of versions: only a trial that
// changes, removes and replaces something shows whether it works on this file system.
import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../platform/make-folder.ts';
import { startLine } from '../linux/launch.ts';
import type { MountRights, OverlayMount } from '../linux/launch.ts';
import type { Programs } from '../linux/programs.ts';

export function makeOverlayFolders(workFolder: string, name: string): string {
  for (const part of ['lower', 'upper', 'work', 'merged']) {
    makeFolder(join(workFolder, name, part));
  }
  return join(workFolder, name, 'upper');
}

const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

export interface OverlayPlace {
  programs: Programs;
  rights: MountRights;
  workFolder: string;
}

/** Runs a shell script in the work folder, with values for it, and the overlays mounted; the output, or undefined when it failed. */
export async function runMounted(
  place: OverlayPlace,
  overlays: readonly OverlayMount[],
  script: readonly string[],
  input = '',
): Promise<Buffer | undefined> {
  const [text, ...values] = script;
  const inside = `cd "$1" && shift && ${text}`;
  const line = [place.programs.sh, '-c', inside, 'sh', place.workFolder, ...values];
  const child = startLine({ ...place, overlays, line, environment: ENVIRONMENT });
  const output: Buffer[] = [];
  child.stdout!.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr!.resume();
  child.stdin!.on('error', () => undefined);
  child.stdin!.end(input);
  try {
    await once(child, 'close');
  } catch {
    return undefined;
  }
  return child.exitCode === 0 ? Buffer.concat(output) : undefined;
}

const TRIAL = 'cd trial/merged && echo b >>a/file && rm -r b && mkdir b && ls b && ls a';

/** Which rights mount an overlay above files of this owner, if any do. */
export async function findMountRights(
  programs: Programs,
  workFolder: string,
): Promise<MountRights | undefined> {
  makeOverlayFolders(workFolder, 'trial');
  const source = join(workFolder, 'trial', 'source');
  for (const name of ['a', 'b']) {
    makeFolder(join(source, name));
    writeFileSync(join(source, name, 'file'), 'a\n');
  }
  const all: MountRights[] = process.getuid?.() === 0 ? ['root', 'user'] : ['user'];
  for (const rights of all) {
    const place = { programs, rights, workFolder };
    const output = await runMounted(place, [{ name: 'trial', layers: [], above: source }], [TRIAL]);
    const isRight = output?.toString() === 'file\n';
    if (isRight && readdirSync(join(source, 'b')).length === 1) return rights;
  }
  return undefined;
}

/** Names in folders of the mounted copy, as paths in it. */
export async function entriesInOverlay(
  place: OverlayPlace,
  overlay: OverlayMount,
  folders: readonly string[],
): Promise<ReadonlySet<string>> {
  const script = ['cd "$1/merged" && exec xargs -0 sh -c "$2" sh', overlay.name];
  // One call for many folders; each is listed by itself, so that a missing one does not end the rest.
  const each = 'for folder do find "$folder" -mindepth 1 -maxdepth 1 -print0; done';
  const input = folders.map((folder) => `./${folder}\0`).join('');
  const output = await runMounted(place, [overlay], [...script, each], input);
  if (output === undefined) throw new Error('The copy could not be read back.');
  const names = output.toString().split('\0');
  return new Set(names.filter((name) => name !== '').map((name) => name.slice(2)));
}

/** An overlay writes as the owner of its files: those of another user could not be changed. */
export function isOwn(folder: string): boolean {
  return statSync(folder).uid === process.getuid?.();
}
