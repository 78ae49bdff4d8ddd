// From the operations of an artifact to the files it would leave, with nothing written. One problem
// rejects the whole artifact, and all problems are reported: the model gets one chance to fix them.
import type { Operation } from '../../contract/artifact.ts';
import { createPathRule } from './allowed-path.ts';
import { checkShapes } from './check-shapes.ts';
import { realDisk } from './disk.ts';
import type { Disk } from './disk.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
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
  const shapes = checkShapes(options.operations);
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
    const staged = stageOne(operation, found ?? (await tree.find(operation.path)));
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
  const { after, mode } = change;
  return after === null ? { kind: 'missing', folders: [] } : { kind: 'file', bytes: after, mode };
}

type StagedOne =
  | { kind: 'change'; change: FileChange }
  | { kind: 'same' }
  | { kind: 'problems'; problems: ApplyProblem[] };

function stageOne(operation: Operation, found: Found): StagedOne {
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
    if (found.bytes.equals(after)) return { kind: 'same' };
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
    return { kind: 'same' };
  }
  if (isStale) return stale();
  const result = resultOf(operation, before);
  if (result.kind === 'problems') return result;
  if (result.after.equals(before)) return { kind: 'same' };
  return { kind: 'change', change: { path, before, after: result.after, mode } };
}
