import type { Artifact, Operation } from '../../contract/artifact.ts';
import { checkOperations } from './check-operations.ts';
import { readEditsBlock } from './edits-block.ts';
import { findBlocks, type ArtifactBlock } from './find-blocks.ts';
import { toArtifact, UNCLOSED, type Draft } from './parse-blocks.ts';
import { createProblems, type Problems } from './problems.ts';
import { readJsonArtifact } from './read-json.ts';

export type ParsedArtifact =
  | { kind: 'found'; artifact: Artifact }
  | { kind: 'none' }
  /** Asks for files instead of changing any. */
  | { kind: 'reads'; paths: string[] }
  | {
      kind: 'invalid';
      problems: string[];
      /** What could be read without a doubt. */
      readable: Operation[];
      /** The files that the problems are about, where it is known. */
      unclear: string[];
    };

/** What a model's answer hands in, whichever way it does so. Total: any text gives an answer. */
export function parseArtifact(output: string, streamId: string): ParsedArtifact {
  const blocks = findBlocks(output, readEditsBlock);
  if (blocks.length === 0) {
    const paths = readLinesOnly(output);
    return paths.length > 0 ? { kind: 'reads', paths } : { kind: 'none' };
  }
  const problems = createProblems();
  const draft = readBlocks(blocks, problems);
  const parsed = toArtifact(draft, streamId, problems);
  if (parsed.kind === 'invalid') {
    return { ...parsed, ...sortOut(draft.operations, listOf(blocks, 'unclear')) };
  }
  const reads = listOf(blocks, 'reads');
  // Changes win: whoever made them had seen enough.
  const asks = parsed.kind === 'found' && draft.operations.length === 0 && reads.length > 0;
  return asks ? { kind: 'reads', paths: [...new Set(reads)] } : parsed;
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
    problems.add(UNCLOSED);
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

function listOf(blocks: readonly ArtifactBlock[], name: 'reads' | 'unclear'): string[] {
  return blocks.flatMap((block) => (block.kind === 'edits' ? block.block[name] : []));
}

/** Without a block, an answer asks for files only when it says nothing else. */
function readLinesOnly(output: string): string[] {
  if (!/^\s*read:/i.test(output)) return [];
  const paths: string[] = [];
  for (const line of output.split('\n')) {
    const text = line.trim();
    if (text === '') continue;
    const path = /^read:\s*(\S.*)$/i.exec(text)?.[1];
    if (path === undefined) return [];
    paths.push(/^`(.+)`$/.exec(path)?.[1] ?? path);
  }
  return [...new Set(paths)];
}

function sortOut(operations: readonly Operation[], known: readonly string[]) {
  const unclear = new Set(known);
  const names = new Map<string, number>();
  for (const { path } of operations) {
    names.set(path.toLowerCase(), (names.get(path.toLowerCase()) ?? 0) + 1);
  }
  for (const operation of operations) {
    const found = createProblems();
    checkOperations([operation], found);
    const isTwice = names.get(operation.path.toLowerCase())! > 1;
    if (isTwice || found.list().length > 0) unclear.add(operation.path);
  }
  const readable = operations.filter(({ path }) => !unclear.has(path));
  return { readable, unclear: [...unclear] };
}
