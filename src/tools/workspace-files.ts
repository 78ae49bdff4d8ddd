// The files of the workspace that go with a task. An assistant names them, and a text that it read may
// have made it do so: so nothing outside of the workspace is sent, and nothing that looks like a secret
// unless the user allows it. What was named and cannot be sent is an error before anything is paid
// for; what a folder or a glob merely covers is left out and reported.
import { checkPath } from '../domain/artifact/check-path.ts';
import { patternsOverlap } from '../manifest/patterns/overlap.ts';
import { filePattern } from '../manifest/patterns/pattern.ts';
import { createFileReader, createWalker } from '../orchestrator/index.ts';
import { allowedIn, patternsIn, realNameOf, whyDenied } from './denied-files.ts';
import type { FileAccess, Refusal } from './denied-files.ts';
import { ToolError } from './tool-error.ts';
import { MAX_FILES } from './tool-schemas.ts';

const MAX_TOTAL_BYTES = 2 * 1024 * 1024;

export interface LeftOut {
  path: string;
  why: string;
  bytes: number;
}

export interface TaskFiles {
  /** Sorted by path: the same files make the same request. */
  contents: Record<string, string>;
  sizes: Record<string, number>;
  leftOut: LeftOut[];
}

interface Named {
  path: string;
  /** By its own name, not by a folder or a glob. */
  isExact: boolean;
}

async function namedFiles(workspace: FileAccess, entries: readonly string[]): Promise<Named[]> {
  const { root } = workspace;
  const named = new Map<string, Named>();
  let listing: readonly string[] | undefined;
  const all = async () => (listing ??= (await createWalker(root).walk()).listing.files);
  for (const entry of entries) {
    const patterns = patternsIn(workspace, entry);
    let count = 0;
    let found: string | undefined;
    for (const pattern of patterns) {
      // A name with brackets is not also a set of characters.
      if (pattern.text === found) continue;
      const exact = pattern.parts.join('/');
      const isPlain = pattern.kind === 'file' || pattern.kind === 'either';
      if (isPlain && realNameOf(root, exact) !== undefined) {
        const isFile = pattern.kind === 'file' || (await all()).includes(exact);
        if (isFile) {
          named.set(exact, { path: exact, isExact: true });
          found = pattern.text;
          count += 1;
          continue;
        }
      }
      for (const path of await all()) {
        if (!patternsOverlap(pattern, filePattern(path))) continue;
        count += 1;
        if (!named.has(path)) named.set(path, { path, isExact: false });
      }
    }
    if (count === 0) {
      throw new ToolError({
        code: 'FILE_NOT_FOUND',
        message: `${JSON.stringify(entry)} matches no file of the workspace`,
        hint: 'Check the path. Leave it out if the task is to create it.',
      });
    }
  }
  return [...named.values()];
}

const ADVICE: Readonly<Record<string, string>> = {
  FILE_NOT_ALLOWED: 'Leave it out, or ask the user to name it in MILLRACE_ALLOW.',
  FILE_TOO_LARGE: 'Leave it out, or send fewer files.',
  FILE_NOT_TEXT: 'Leave it out: only UTF-8 text can be sent.',
  PATH_OUTSIDE_WORKSPACE: 'Use files of the workspace.',
};

export async function collectFiles(
  workspace: FileAccess | undefined,
  entries: readonly string[],
): Promise<TaskFiles> {
  const found: TaskFiles = { contents: {}, sizes: {}, leftOut: [] };
  if (entries.length === 0) return found;
  if (workspace === undefined) {
    throw new ToolError({
      code: 'WORKSPACE_NOT_SET',
      message: 'There is no workspace to read files from',
      hint:
        'Call without files, and put what matters into the task. To send files, the user needs the ' +
        'tools on their own machine (`millrace mcp`), with MILLRACE_WORKSPACE set to the project folder.',
    });
  }
  const { root } = workspace;
  const allowed = allowedIn(workspace);
  const reader = createFileReader(root);
  let total = 0;
  let count = 0;

  /** Adds the file, or says why not. */
  function add({ path }: Named): (Refusal & { bytes?: number }) | undefined {
    const problem = checkPath(path);
    if (problem !== undefined) return { code: 'PATH_OUTSIDE_WORKSPACE', why: `: ${problem}` };
    const denied = whyDenied(root, path, allowed);
    if (denied !== undefined) return denied;
    const file = reader.read(path);
    if (file.kind === 'missing') return { code: 'FILE_NOT_FOUND', why: 'is gone' };
    if (file.kind === 'omitted') {
      const { bytes, reason } = file;
      const code = codeOf(realNameOf(root, path), bytes);
      return { code, why: reasonText(code, reason), bytes };
    }
    const { bytes } = file;
    if (count >= MAX_FILES)
      return { code: 'FILE_TOO_LARGE', why: `is one of more than ${MAX_FILES} files`, bytes };
    if (total + bytes > MAX_TOTAL_BYTES) {
      return { code: 'FILE_TOO_LARGE', why: 'makes it more than 2 MiB in all', bytes };
    }
    total += bytes;
    count += 1;
    found.contents[path] = file.text;
    found.sizes[path] = bytes;
    return undefined;
  }

  const named = await namedFiles(workspace, entries);
  // What was named goes first: what a glob covers must not take its room.
  for (const each of named.toSorted((a, b) => Number(b.isExact) - Number(a.isExact))) {
    const refusal = add(each);
    if (refusal === undefined) continue;
    if (each.isExact) {
      const { code, why } = refusal;
      const hint = ADVICE[code];
      throw new ToolError({
        code,
        message: `${JSON.stringify(each.path)} ${why}`,
        ...(hint && { hint }),
      });
    }
    found.leftOut.push({ path: each.path, why: refusal.why, bytes: refusal.bytes ?? 0 });
  }
  return { ...found, contents: sorted(found.contents) };
}

function codeOf(real: string | undefined, bytes: number): string {
  if (real === undefined || real === '..' || real.startsWith('../'))
    return 'PATH_OUTSIDE_WORKSPACE';
  return bytes > MAX_FILE_KIB * 1024 ? 'FILE_TOO_LARGE' : 'FILE_NOT_TEXT';
}

const MAX_FILE_KIB = 256;

function reasonText(code: string, reason: string): string {
  if (code === 'PATH_OUTSIDE_WORKSPACE') return 'is a link that leads out of the workspace';
  return code === 'FILE_TOO_LARGE' ? `is larger than ${MAX_FILE_KIB} KiB` : `is ${reason}`;
}

function sorted(contents: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(contents).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
