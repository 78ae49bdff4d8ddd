import { addAll } from './add-all.ts';
import type { Artifact, Operation } from '../../contract/artifact.ts';
import { checkOperations } from './check-operations.ts';
import { readEditsBlock } from './edits-block.ts';
import { findBlocks, mentionsLabel, type ArtifactBlock } from './find-blocks.ts';
import { cleanPath } from './header-line.ts';
import { readLooseForms } from './loose-forms.ts';
import { holdsChanges, parseLoosely, toOurWords } from './loose-json.ts';
import { toArtifact, UNCLOSED, type Draft } from './parse-blocks.ts';
import { createProblems, type Problems } from './problems.ts';
import { readJsonArtifact, readJsonValue } from './read-json.ts';
import { gatherSections, newSection, type Section } from './section.ts';
import { withoutThinking } from './thinking.ts';

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

interface Read extends Draft {
  reads: string[];
  unclear: string[];
}

/**
 * What a model's answer hands in by a block with our label. Of a job nobody knows whether it was asked
 * for changes at all: a diff in its text may be what a person wanted to read.
 */
export function parseLabelled(output: string, streamId: string): ParsedArtifact {
  if (!mentionsLabel(output)) return { kind: 'none' };
  const text = withoutThinking(withPlainEndings(output));
  return parse(findBlocks(text, readEditsBlock), streamId, () => undefined);
}

/** What a model's answer hands in, whichever way it does so. Total: any text gives an answer. */
export function parseArtifact(output: string, streamId: string): ParsedArtifact {
  const text = withoutThinking(withPlainEndings(output));
  const blocks = findBlocks(text, readEditsBlock);
  return parse(blocks, streamId, (problems) => readUnlabelled(text, problems));
}

function parse(
  blocks: readonly ArtifactBlock[],
  streamId: string,
  otherwise: (problems: Problems) => Read | undefined,
): ParsedArtifact {
  const problems = createProblems();
  const read = blocks.length > 0 ? readBlocks(blocks, problems) : otherwise(problems);
  if (read === undefined) return { kind: 'none' };
  const parsed = toArtifact(read, streamId, problems);
  if (parsed.kind === 'invalid') return { ...parsed, ...sortOut(read.operations, read.unclear) };
  // Changes win: a model that made them had seen enough.
  const asks = read.operations.length === 0 && read.reads.length > 0;
  return asks ? { kind: 'reads', paths: [...new Set(read.reads)] } : parsed;
}

/** An answer whose every line ends in CRLF went through a program that did this. */
function withPlainEndings(output: string): string {
  if (!output.includes('\r\n')) return output;
  const feeds = output.split('\n').length - 1;
  const returns = output.split('\r\n').length - 1;
  return returns > 0 && feeds === returns ? output.replaceAll('\r\n', '\n') : output;
}

/**
 * A JSON block is the whole artifact, so the last one is the model's last word. Blocks of edits are
 * often written one for each file: all of them since the last JSON block count together, because to
 * lose a file silently is worse than to refuse a file that was given twice.
 */
function readBlocks(blocks: readonly ArtifactBlock[], problems: Problems): Read {
  const complete = blocks.filter((block) => block.kind !== 'unclosed');
  const last = complete.at(-1);
  if (last === undefined) {
    problems.add(UNCLOSED);
    return { operations: [], reads: [], unclear: [] };
  }
  if (last.kind === 'json') return readJson(last.body, problems);
  const since = complete.slice(complete.findLastIndex(({ kind }) => kind === 'json') + 1);
  const edits = since.flatMap((each) => (each.kind === 'edits' ? [each.block] : []));
  return gather(
    edits.map(({ sections }) => sections),
    {
      problems: edits.flatMap((block) => block.problems),
      reads: edits.flatMap(({ reads }) => reads),
      status: edits.findLast(({ status }) => status !== undefined)?.status,
      summary: edits.findLast(({ summary }) => summary !== undefined)?.summary,
    },
    problems,
  );
}

function gather(
  groups: readonly (readonly Section[])[],
  given: { problems: readonly string[]; reads: string[]; status?: unknown; summary?: unknown },
  problems: Problems,
): Read {
  const { operations, problems: found, unclear } = gatherSections(groups);
  for (const problem of [...given.problems, ...found]) problems.add(problem);
  const { reads, status, summary } = given;
  return { operations, reads, unclear: unclear.filter((path) => path !== ''), status, summary };
}

function readJson(body: string, problems: Problems): Read {
  let value: unknown;
  try {
    value = parseLoosely(body);
  } catch {
    // The reader of our own words reports it.
    return { ...readJsonArtifact(body, problems), reads: [], unclear: [] };
  }
  const ours = toOurWords(value) ?? value;
  const { status, summary, operations } = readJsonValue(ours, problems);
  // Those without a single edit that could be read are reported already.
  const isEmpty = (each: Operation) => 'edits' in each && each.edits.length === 0;
  const sections = operations.filter((each) => !isEmpty(each)).map(toSection);
  const read = gather([sections], { problems: [], reads: [], status, summary }, problems);
  addAll(
    read.unclear,
    operations.filter(isEmpty).map(({ path }) => path),
  );
  return read;
}

function toSection(operation: Operation): Section {
  const { type, path } = operation;
  const section = newSection(type, path);
  if ('content' in operation) section.content = operation.content;
  if ('edits' in operation) section.edits = operation.edits;
  if ('baseSha256' in operation && operation.baseSha256) section.baseSha256 = operation.baseSha256;
  return section;
}

function readUnlabelled(text: string, problems: Problems): Read | undefined {
  const paths = readLinesOnly(text);
  if (paths.length > 0) return { operations: [], reads: paths, unclear: [] };
  const bare = text.trim();
  if (bare.startsWith('{') || bare.startsWith('[')) return readLooseJson(bare, problems);
  const forms = readLooseForms(text);
  const json = forms.json.findLast((body) => isArtifact(body));
  if (forms.sections.length === 0 && json !== undefined) return readLooseJson(json, problems);
  const isNothing = forms.sections.length === 0 && forms.reads.length === 0;
  return isNothing ? undefined : gather([forms.sections], forms, problems);
}

function readLooseJson(body: string, problems: Problems): Read | undefined {
  return isArtifact(body) ? readJson(body, problems) : undefined;
}

function isArtifact(body: string): boolean {
  try {
    const ours = toOurWords(parseLoosely(body));
    return ours !== undefined && holdsChanges(ours);
  } catch {
    return false;
  }
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
    paths.push(cleanPath(path).path);
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
