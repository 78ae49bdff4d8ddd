import type { Artifact, Operation } from '../../contract/artifact.ts';
import { ARTIFACT_STATUSES } from '../../contract/artifact-status.ts';
import type { ArtifactStatus } from '../../contract/artifact-status.ts';
import { checkOperations } from './check-operations.ts';
import { findBlocks, type ArtifactBlock } from './find-blocks.ts';
import { createProblems, quote, type Problems } from './problems.ts';
import { readJsonArtifact } from './read-json.ts';

export type ParsedBlocks =
  | { kind: 'found'; artifact: Artifact }
  | { kind: 'none' }
  | { kind: 'invalid'; problems: string[] };

export const UNCLOSED = 'the artifact block is never closed; was the answer cut off?';

export interface Draft {
  status?: unknown;
  summary?: unknown;
  operations: Operation[];
}

/**
 * The artifact that an answer hands in as JSON in a labelled block: all that the client reads itself,
 * because it has to stay small. Total: any text gives one of the three answers.
 */
export function parseBlocks(output: string, streamId: string): ParsedBlocks {
  const blocks = findBlocks(output);
  if (blocks.length === 0) return { kind: 'none' };
  const problems = createProblems();
  return toArtifact(readBlocks(blocks, problems), streamId, problems);
}

export function toArtifact(
  draft: Draft,
  streamId: string,
  problems: Problems,
): Exclude<ParsedBlocks, { kind: 'none' }> {
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

/** A JSON block is the whole artifact, so the last one is the model's last word. */
function readBlocks(blocks: readonly ArtifactBlock[], problems: Problems): Draft {
  const last = blocks.findLast((block) => block.kind === 'json');
  if (last !== undefined) return readJsonArtifact(last.body, problems);
  problems.add(UNCLOSED);
  return { operations: [] };
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
