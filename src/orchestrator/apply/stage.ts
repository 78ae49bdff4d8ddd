// From the operations of an artifact to the files it would leave, with nothing written. One problem
// rejects the whole artifact, and all problems are reported: the model gets one chance to fix them.
import type { Operation } from '../../contract/artifact.ts';
import { createPathRule } from './allowed-path.ts';
import { checkShapes } from './check-shapes.ts';
import { realDisk } from './disk.ts';
import type { Disk } from './disk.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import { modeAfter, modes, withExecutable } from './file-change.ts';
import type { FileChange } from './file-change.ts';
import { resultOf } from './result-of.ts';
import { sha256 } from '../../platform/sha256.ts';
import { createTree } from './tree.ts';
import type { Found } from './tree.ts';

export interface StageOptions {
  /** Absolute. */
  root: string;
  operations: readonly Operation[];
  /** Entries as in the manifest; none means that every path is allowed. */
  owns: readonly string[];
  /** Relative to the root: the manifest itself. */
  protectedPaths: readonly string[];
  /** Whole texts are meant to the last byte; otherwise they are put into the form of the file. */
  isExact?: boolean;
  /** Changes to count as made although they are not: of artifacts that come before this one. */
  earlier?: ReadonlyMap<string, FileChange>;
}

export type Staged =
  | { kind: 'staged'; changes: FileChange[] }
  | { kind: 'rejected'; problems: ApplyProblem[] };

const NEW_FILE_MODE = 0o644;
const NEW_PROGRAM_MODE = 0o755;
/** All that is held in memory at once: what the files are and what they become. */
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;

export async function stageArtifact(
  options: StageOptions,
  { disk = realDisk }: { disk?: Disk } = {},
): Promise<Staged> {
  const shapes = checkShapes(options.operations, options);
  if (shapes.stop) return { kind: 'rejected', problems: shapes.problems };
  const problems = [...shapes.problems];
  const rule = createPathRule(options);
  const tree = createTree(disk, options.root);
  const changes: FileChange[] = [];
  let total = 0;
  for (const operation of options.operations) {
    if (shapes.unfit.has(operation)) continue;
    const refused = rule.problemWith(operation.path);
    if (refused) {
      problems.push({ path: operation.path, ...refused });
      continue;
    }
    const found = afterEarlier(options.earlier?.get(operation.path));
    const staged = stageOne(operation, found ?? (await tree.find(operation.path)), options);
    if (staged.kind === 'problems') problems.push(...staged.problems);
    if (staged.kind !== 'change') continue;
    total += (staged.change.before?.length ?? 0) + (staged.change.after?.length ?? 0);
    if (total > MAX_TOTAL_BYTES) {
      const message = 'This artifact is too large.';
      problems.push({ path: operation.path, code: 'TOO_LARGE', message });
      break;
    }
    changes.push(staged.change);
  }
  return problems.length > 0 ? { kind: 'rejected', problems } : { kind: 'staged', changes };
}

function afterEarlier(change: FileChange | undefined): Found | undefined {
  if (change === undefined) return undefined;
  const { after } = change;
  if (after === null) return { kind: 'missing', folders: [] };
  return { kind: 'file', bytes: after, mode: modeAfter(change) };
}

type StagedOne =
  | { kind: 'change'; change: FileChange }
  | { kind: 'same' }
  | { kind: 'problems'; problems: ApplyProblem[] };

function stageOne(
  operation: Operation,
  found: Found,
  { isExact = false }: Pick<StageOptions, 'isExact'>,
): StagedOne {
  const { path } = operation;
  const fail = (code: string, message: string): StagedOne => ({
    kind: 'problems',
    problems: [{ path, code, message }],
  });
  if (found.kind === 'refused') return fail(found.refusal.code, found.refusal.message);
  if (operation.type === 'create') {
    const after = Buffer.from(operation.content);
    if (found.kind === 'missing') {
      const mode = operation.executable === true ? NEW_PROGRAM_MODE : NEW_FILE_MODE;
      return { kind: 'change', change: { path, before: null, after, mode } };
    }
    if (found.bytes.equals(after)) return changeOf(operation, found, after);
    return fail('EXISTS', 'The file already exists with different content; edit it instead.');
  }
  if (found.kind === 'missing') return fail('MISSING', 'There is no such file.');
  const { bytes: before, mode } = found;
  const isStale = operation.baseSha256 !== undefined && operation.baseSha256 !== sha256(before);
  const stale = () => fail('STALE', 'The file has changed since this edit was made.');
  if (operation.type === 'delete') {
    return isStale ? stale() : { kind: 'change', change: { path, before, after: null, mode } };
  }
  // What is there already is no conflict, whatever it was made for.
  if ('content' in operation && before.equals(Buffer.from(operation.content))) {
    return changeOf(operation, found, before);
  }
  if (isStale) return stale();
  const result = resultOf(operation, before, { isExact });
  return result.kind === 'problems' ? result : changeOf(operation, found, result.after);
}

/** Of a file that is there and stays. */
function changeOf(
  operation: Exclude<Operation, { type: 'delete' }>,
  { bytes: before, mode }: Extract<Found, { kind: 'file' }>,
  after: Buffer,
): StagedOne {
  const executable = 'executable' in operation ? operation.executable : undefined;
  const newMode = withExecutable(mode, executable);
  if (before.equals(after) && newMode === mode) return { kind: 'same' };
  return {
    kind: 'change',
    change: { path: operation.path, before, after, ...modes(mode, newMode) },
  };
}
