// What the rules of a plan have to know about a project, read from its disk.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { refusedPath } from '../domain/artifact/refused-path.ts';
import { outputTokensOf } from '../domain/model/model-limits.ts';
import { BYTES_PER_TOKEN, estimateStream } from '../domain/run/stream-estimate.ts';
import { MAX_STREAMS } from '../manifest/compose/proposal.ts';
import type { Repository } from '../manifest/compose/repository.ts';
import { indexRepository } from '../manifest/compose/repository.ts';
import { isMadeElsewhere } from '../project/made-elsewhere.ts';
import { isMadeByTools } from '../project/never-shown.ts';
import type { ProjectScan } from '../project/scan-project.ts';
import type { Snapshot } from '../project/snapshots.ts';
import { checksOf } from './narrow-check.ts';

const TEST =
  /(?:^|\/)(?:tests?|spec|__tests__|e2e)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+\.py$|_test\.(?:go|py)$|Tests?\.(?:java|kt|cs)$/;
/** Lock files are changed with the package file that they belong to. */
const LOCK = /lock|go\.sum$|shrinkwrap/i;

export interface FactsOptions {
  root: string;
  task: string;
  snapshot: Snapshot;
  scan: ProjectScan;
  /** Undefined where none is asked: a usual one is assumed. */
  model: string | undefined;
  isForAgents: boolean;
  /** Paths that no stream may write: the manifest itself. */
  protectedPaths: readonly string[];
}

function bytesOf(root: string, path: string): number {
  try {
    return statSync(join(root, path)).size;
  } catch {
    return 0;
  }
}

function refusalOf(path: string, isProtected: ReadonlySet<string>): string | undefined {
  if (isProtected.has(path)) return 'the manifest itself';
  const why = refusedPath(path);
  if (why !== undefined) return why;
  if (isMadeElsewhere(path)) return 'made or kept by others';
  if (isMadeByTools(path) && !LOCK.test(path)) return 'made by a tool';
  return undefined;
}

export function repositoryOf(options: FactsOptions): Repository {
  const { root, task, snapshot, scan, model, isForAgents } = options;
  const { index, graph } = snapshot;
  const isProtected = new Set(options.protectedPaths);
  const files = index.files.map((path) => ({ path, bytes: bytesOf(root, path) }));
  const size = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const isWritable = (path: string) => refusalOf(path, isProtected) === undefined;
  const repository: Repository = indexRepository({
    task,
    files: files.filter(({ path }) => isWritable(path)),
    importsOf: (path) => graph.imports.get(path) ?? [],
    importersOf: (path) => graph.importers.get(path) ?? [],
    refusalOf: (path) => refusalOf(path, isProtected),
    isTest: (path) => TEST.test(path),
    setup: scan.install === undefined ? [] : [scan.install],
    isSetUp: scan.isInstalled,
    checks: checksOf(scan),
    estimateMs: (owns) => {
      const known = (entries: readonly string[]) =>
        entries.flatMap((entry) => repository.filesOf(entry));
      const deps = {
        bytesOf: (entries: readonly string[]) =>
          known(entries).reduce((sum, path) => sum + (size.get(path) ?? 0), 0),
        priceOf: () => null,
      };
      return estimateStream(deps, { id: '', owns: [...owns], reads: [] }, {}).estimate.durationMs;
    },
    answerBytes: outputTokensOf(model ?? '') * BYTES_PER_TOKEN,
    isForAgents,
    isPartial: false,
    maxStreams: MAX_STREAMS,
  });
  return repository;
}
