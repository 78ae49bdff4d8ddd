// What the streams of a manifest say about each other: unknown and circular dependencies, fixes of
// fixes, reads that nothing puts in order.
import { findCycles, toGraph } from './graph.ts';
import type { Edge, Graph } from './graph.ts';
import { createCycleBudget, shortestWitness } from './cycles.ts';
import { MANY_READS } from './model.ts';
import { checkPlaceholders } from './placeholder.ts';
import type { FeatureManifest, FeatureStream, Manifest } from './model.ts';
import type { Problem } from './problem.ts';
import { ID_PATTERN } from './schema/field.ts';
import { badId } from './text/field-check.ts';
import { DEFAULT_MANIFEST_LIMITS } from './text/limits.ts';
import { createNearestBudget, nearestName } from './text/nearest.ts';
import type { NearestBudget } from './text/nearest.ts';
import type { Places } from './text/places.ts';
import { createProblemList } from './text/problem-list.ts';
import type { Locator, ProblemList } from './text/problem-list.ts';
import { quote } from './text/show.ts';
import { findUnorderedReads } from './unordered-reads.ts';

type Streams = ReadonlyMap<string, FeatureStream>;

const MAX_SHOWN_STREAMS = 8;

function checkDeps(
  stream: FeatureStream,
  streams: Streams,
  { problems, budget }: { problems: ProblemList; budget: NearestBudget },
): void {
  const { id, deps } = stream;
  const seen = new Set<string>();
  for (const [at, dep] of deps.entries()) {
    const path = ['streams', id, 'deps', at];
    if (dep === id) problems.error(() => selfDep(id, path));
    else if (seen.has(dep)) {
      problems.warning(() => ({
        code: 'DUPLICATE_DEP',
        message: `Stream ${quote(id)} lists the dependency ${quote(dep)} twice.`,
        hint: 'Remove one of the two.',
        path,
      }));
    } else if (!streams.has(dep) && dep.trim() !== '') {
      problems.error(() => {
        const meant = nearestName(dep, streams.keys(), budget);
        return {
          code: 'UNKNOWN_DEP',
          message: `Stream ${quote(id)} depends on ${quote(dep)}, which does not exist.`,
          hint: meant ? `Did you mean ${meant}?` : 'Add that stream, or remove the dependency.',
          path,
        };
      });
    }
    seen.add(dep);
  }
}

function selfDep(id: string, path: (string | number)[]) {
  return {
    code: 'CYCLE',
    message: `Stream ${quote(id)} depends on itself.`,
    hint: 'Remove the dependency.',
    path,
    cycle: [id],
  };
}

function checkReads({ id, reads }: FeatureStream, problems: ProblemList): void {
  if (reads.length <= MANY_READS) return;
  problems.warning(() => ({
    code: 'MANY_READS',
    message: `Stream ${quote(id)} reads ${reads.length} entries; with more than ${MANY_READS}, a timeout is likely.`,
    hint: 'List only the files it needs, split the stream, or raise timeoutMs.',
    path: ['streams', id, 'reads'],
    atKey: true,
  }));
}

const FIX_NAME = /^(.+)-fix-[1-9]\d*$/;

function checkFix(stream: FeatureStream, streams: Streams, problems: ProblemList): void {
  const { id, parentStreamId: parentId } = stream;
  if (parentId === undefined) return;
  const path = ['streams', id, 'parentStreamId'];
  const parent = streams.get(parentId);
  if (parentId === id || parent?.parentStreamId !== undefined) {
    const says = parentId === id ? 'itself' : `${quote(parentId)}, which is itself a fix`;
    problems.error(() => ({
      code: 'FIX_OF_FIX',
      message: `Stream ${quote(id)} is a fix of ${says}.`,
      hint: 'Set parentStreamId to the original stream.',
      path,
    }));
    return;
  }
  if (parent === undefined) {
    // What is no id at all was reported already.
    if (!ID_PATTERN.test(parentId)) return;
    problems.warning(() => ({
      code: 'UNKNOWN_PARENT',
      message: `Stream ${quote(id)} is a fix of ${quote(parentId)}, which does not exist.`,
      hint: 'Correct parentStreamId, or remove it.',
      path,
    }));
    return;
  }
  if (FIX_NAME.exec(id)?.[1] !== parentId) {
    problems.warning(() => ({
      code: 'FIX_NAME',
      message: `Stream ${quote(id)} is a fix of ${quote(parentId)}, but its id does not match.`,
      hint: `Name it ${parentId}-fix-1 (or the next free number).`,
      path: ['streams', id],
      atKey: true,
    }));
  }
}

interface WaitsFor {
  ids: string[];
  /** From each stream to those it waits for, unknown ones and itself left out. */
  graph: Graph;
}

function waitsForGraph(streams: Streams): WaitsFor {
  const ids = [...streams.keys()];
  const indexOf = new Map(ids.map((id, index) => [id, index]));
  const edges: Edge[] = [];
  let from = 0;
  for (const { deps } of streams.values()) {
    for (const dep of deps.length > 1 ? new Set(deps) : deps) {
      const to = indexOf.get(dep);
      if (to !== undefined && to !== from) edges.push({ from, to });
    }
    from += 1;
  }
  return { ids, graph: toGraph(ids.length, edges) };
}

function describeCycle(cycle: readonly string[]): string {
  const shown = cycle.slice(0, MAX_SHOWN_STREAMS).map((id) => quote(id));
  const isCut = cycle.length > MAX_SHOWN_STREAMS;
  const last = isCut ? `... (${cycle.length} streams)` : quote(cycle[0]!);
  return [...shown, last].join(' waits for ').replace(' waits for ...', ' ...');
}

function reportCycles(
  cycles: readonly number[][],
  { ids, graph }: WaitsFor,
  { streams, problems }: { streams: Streams; problems: ProblemList },
): void {
  const budget = createCycleBudget();
  for (const component of cycles) {
    problems.error(() => {
      const cycle = shortestWitness(graph, component, budget).map((node) => ids[node]!);
      const [first, next] = [cycle[0]!, cycle[1]!];
      const others = component.length - cycle.length;
      const more = others > 0 ? ` ${others} more streams are part of cycles.` : '';
      return {
        code: 'CYCLE',
        message: `Dependency cycle: ${describeCycle(cycle)}.${more}`,
        hint: 'Remove one of these dependencies.',
        path: ['streams', first, 'deps', streams.get(first)!.deps.indexOf(next)],
        cycle,
      };
    });
  }
}

function checkUnorderedReads(
  { ids, graph }: WaitsFor,
  streams: Streams,
  problems: ProblemList,
): void {
  const { found, isComplete } = findUnorderedReads([...streams.values()], graph);
  for (const { reader, entry, read, owner } of found) {
    problems.warning(() => ({
      code: 'READS_WITHOUT_DEP',
      message: `Stream ${quote(ids[reader]!)} reads ${quote(read)}, which ${quote(ids[owner]!)} owns, but there is no dependency between them.`,
      hint: 'Run millrace learn to add the dependency, or add it to deps.',
      path: ['streams', ids[reader]!, 'reads', entry],
    }));
  }
  if (isComplete) return;
  problems.warning(() => ({
    code: 'READS_NOT_CHECKED',
    message: 'There are too many patterns to list every read that needs a dependency.',
    hint: 'Run millrace learn to find them all.',
    path: ['streams'],
    atKey: true,
  }));
}

export function findProblems(manifest: Manifest, problems: ProblemList): void {
  checkPlaceholders(manifest, problems);
  // Notation A knows no dependencies.
  if (manifest.notation === 'A') return;
  const { streams } = manifest;
  const budget = createNearestBudget();
  for (const stream of streams.values()) {
    checkDeps(stream, streams, { problems, budget });
    checkReads(stream, problems);
    checkFix(stream, streams, problems);
  }
  const waits = waitsForGraph(streams);
  const cycles = findCycles(waits.graph);
  reportCycles(cycles, waits, { streams, problems });
  // While there are circles, nothing is in order.
  if (cycles.length === 0) checkUnorderedReads(waits, streams, problems);
}

const NOWHERE = { line: 1, column: 1 };

function toLocator(places: Places | undefined): Locator {
  const of: Locator['of'] = (path) => places?.of(path) ?? NOWHERE;
  return { of, ofKey: of, at: () => NOWHERE };
}

export interface ValidateOptions {
  file?: string;
  places?: Places;
}

export function validateManifest(manifest: Manifest, options: ValidateOptions = {}): Problem[] {
  const problems = createProblemList(DEFAULT_MANIFEST_LIMITS.maxProblems);
  findProblems(manifest, problems);
  return problems.toProblems(() => toLocator(options.places), options.file);
}

/** What speaks against adding a stream; what was wrong before is not repeated. */
export function checkNewStream(manifest: FeatureManifest, stream: FeatureStream): Problem[] {
  const problems = createProblemList(DEFAULT_MANIFEST_LIMITS.maxProblems);
  const { id } = stream;
  if (!ID_PATTERN.test(id)) {
    const { code, says, hint } = badId(id);
    problems.error(() => ({ code, message: `Invalid stream id: it ${says}.`, hint, path: [] }));
  }
  if (manifest.streams.has(id)) {
    problems.error(() => ({
      code: 'DUPLICATE_STREAM',
      message: `Stream ${quote(id)} already exists.`,
      hint: 'Choose another id.',
      path: ['streams', id],
    }));
    return problems.toProblems(() => toLocator(undefined), undefined);
  }
  const streams: Streams = new Map([...manifest.streams, [id, stream]]);
  checkDeps(stream, streams, { problems, budget: createNearestBudget() });
  checkReads(stream, problems);
  checkFix(stream, streams, problems);
  const { ids, graph } = waitsForGraph(streams);
  const own = findCycles(graph).find((component) => component.includes(ids.length - 1));
  if (own) {
    const cycle = shortestWitness(graph, own, createCycleBudget()).map((node) => ids[node]!);
    problems.error(() => ({
      code: 'CYCLE',
      message: `With ${quote(id)}, streams would wait for each other in a circle: ${describeCycle(cycle)}.`,
      hint: 'Remove one of these dependencies.',
      path: ['streams', id, 'deps'],
      cycle,
    }));
  }
  return problems.toProblems(() => toLocator(undefined), undefined);
}
