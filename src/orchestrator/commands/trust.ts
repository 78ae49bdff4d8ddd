// Which commands of a project the user has agreed to run. A manifest comes with a repository and may
// come from anybody, so the approvals are kept with the user, outside of every repository: no
// project can approve itself. They hold for the folder and the exact text of a command.
import { readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FeatureStream, Manifest, WorkflowStream } from '../../manifest/model.ts';
import { writeWholeFile } from '../../platform/whole-file.ts';
import { sha256 } from '../../platform/sha256.ts';
import { makeFolder } from '../../platform/make-folder.ts';

export interface Trust {
  /** Digests of the approved commands of this project. */
  approved: ReadonlySet<string>;
}

export interface TrustPlace {
  /** The project. */
  root: string;
  /** Where the approvals are kept: in the user's own state folder. */
  file: string;
}

interface TrustFile {
  version: 1;
  projects: Record<string, string[]>;
}

export function commandsOfStream(stream: FeatureStream | WorkflowStream): string[] {
  if ('commands' in stream) return stream.commands.map(({ command }) => command);
  return [...stream.setup, ...stream.verify];
}

/** Every command that a run can start, once, in the order of the manifest. */
export function commandsOf(manifest: Manifest): string[] {
  return [...new Set([...manifest.streams.values()].flatMap(commandsOfStream))];
}

/** One digest of all the commands, whatever their order: changes when one of them does. */
export function commandsDigest(manifest: Manifest): string {
  return sha256(commandsOf(manifest).map(sha256).sort().join('\n'));
}

function isTrustFile(value: unknown): value is TrustFile {
  const { version, projects } = (value ?? {}) as Partial<TrustFile>;
  return version === 1 && typeof projects === 'object' && projects !== null;
}

/** A file that is missing or cannot be understood approves nothing: the user is asked again. */
async function readTrustFile(file: string): Promise<TrustFile> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (isTrustFile(value)) return value;
  } catch {
    // As said above.
  }
  return { version: 1, projects: {} };
}

function approvedIn({ projects }: TrustFile, root: string): string[] {
  const list: unknown = Object.hasOwn(projects, root) ? projects[root] : [];
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
}

export async function loadTrust({ root, file }: TrustPlace): Promise<Trust> {
  const kept = await readTrustFile(file);
  return { approved: new Set(approvedIn(kept, await realpath(root))) };
}

/**
 * The name under which a host is approved that commands may reach from the sandbox. No command can have it: a shell
 * takes no text with this first character.
 */
export const approvalOfHost = (host: string): string => `\0host ${host.toLowerCase()}`;

/** The same for an agent that works with the login in this file. */
export const approvalOfLogin = (agent: string, file: string): string => `\0login ${agent} ${file}`;

export function newCommands(commands: readonly string[], trust: Trust): string[] {
  return commands.filter((command) => !trust.approved.has(sha256(command)));
}

/**
 * Adds the commands to those of the project. Two processes that do this at once may lose one of the
 * two: then the user is asked once more, which is the harmless way round.
 */
export async function approve(place: TrustPlace, commands: readonly string[]): Promise<Trust> {
  const root = await realpath(place.root);
  const kept = await readTrustFile(place.file);
  const approved = [...new Set([...approvedIn(kept, root), ...commands.map(sha256)])].sort();
  const next: TrustFile = { version: 1, projects: { ...kept.projects, [root]: approved } };
  makeFolder(dirname(place.file), 0o700);
  await writeWholeFile(place.file, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
  return { approved: new Set(approved) };
}
