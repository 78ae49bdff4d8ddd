import type { Artifact, Operation } from '../../contract/artifact.ts';
import { ARTIFACT_STATUSES } from '../../contract/artifact-status.ts';
import type { ArtifactStatus } from '../../contract/artifact-status.ts';
import { checkOperations } from './check-operations.ts';
import { findBlocks, type ArtifactBlock, type EditsReader } from './find-blocks.ts';
import { createProblems, quote, type Problems } from './problems.ts';
import { readJsonArtifact } from './read-json.ts';

export type ParsedArtifact =
  | { kind: 'found'; artifact: Artifact }
  | { kind: 'none' }
  | { kind: 'invalid'; problems: string[] };

interface Draft {
  status?: unknown;
  summary?: unknown;
  operations: Operation[];
}

/**
 * The artifact that a model's answer hands in, as JSON in a fenced block or, with `readEdits`, as
 * plain-text edits. Total: any text gives one of the three answers.
 */
export function parseBlocks(
  output: string,
  streamId: string,
  readEdits?: EditsReader,
): ParsedArtifact {
  const blocks = findBlocks(output, readEdits);
  if (blocks.length === 0) return { kind: 'none' };
  const problems = createProblems();
  const draft = readBlocks(blocks, problems);
  const status = readStatus(draft.status, problems);
  const summary = readSummary(draft.summary, problems);
  checkOperations(draft.operations, problems);
  const listed = problems.list();
  if (listed.length > 0) return { kind: 'invalid', problems: listed };
  const artifact: Artifact = {
    // Always the job's own stream: a model may copy the id from an example or from another stream in
    // its context, and the artifact must never be filed or applied under someone else's name.
    streamId,
    status,
    operations: draft.operations,
    // Always derived: what gets applied are the operations, and a list that disagrees would mislead.
    filesChanged: draft.operations.map((operation) => operation.path),
    summary,
  };
  return { kind: 'found', artifact };
}

/**
 * A JSON block is the whole artifact, so the last one is the model's last word. Blocks of edits are
 * often written one for each file: all of them since the last JSON block count together, because to
 * lose a file silently is worse than to refuse a file that was given twice.
 */
function readBlocks(blocks: readonly ArtifactBlock[], problems: Problems): Draft {
  const complete = blocks.filter((block) => block.kind !== 'unclosed');
  const last = complete.at(-1);
  if (last === undefined) {
    problems.add('the artifact block is never closed; was the answer cut off?');
    return { operations: [] };
  }
  if (last.kind === 'json') return readJsonArtifact(last.body, problems);
  const draft: Draft = { operations: [] };
  for (const each of complete.slice(complete.findLastIndex(({ kind }) => kind === 'json') + 1)) {
    if (each.kind !== 'edits') continue;
    for (const problem of each.block.problems) problems.add(problem);
    for (const operation of each.block.operations) draft.operations.push(operation);
    draft.status = each.block.status ?? draft.status;
    draft.summary = each.block.summary ?? draft.summary;
  }
  return draft;
}

function readStatus(raw: unknown, problems: Problems): ArtifactStatus {
  if (raw === undefined || raw === null || raw === 'completed') return 'complete';
  const read = ARTIFACT_STATUSES.find((status) => status === raw);
  if (read !== undefined) return read;
  problems.add(`status must be complete, partial or failed, not ${quote(raw)}`);
  return 'failed';
}

function readSummary(raw: unknown, problems: Problems): string {
  if (raw === undefined || raw === null) return '';
  if (typeof raw !== 'string') problems.add('summary must be a text');
  else if (raw.isWellFormed()) return raw;
  else problems.add('summary is not valid Unicode');
  return '';
}
