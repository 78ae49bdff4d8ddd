// Collects what a model is shown for a stream, nearest first, until the room is used up. Tokens are
// estimated in the same way as by the service (tokenx).
import { realpath } from 'node:fs/promises';
import { estimateTokenCount } from 'tokenx';
import type { ContextDepth } from '../../domain/manifest/model.ts';
import type {
  ContextFile,
  ContextRole,
  OmittedFile,
  StreamContext,
} from '../../domain/run/context-files.ts';
import { filesOfEntries } from './entry-files.ts';
import { createImportScanner } from './imports/graph.ts';
import { createProjectIndex } from './imports/project-index.ts';
import { namedFiles } from './named-files.ts';
import { isMadeByTools, isSecret } from './never-shown.ts';
import { beginningOf, outlineOf } from './outline.ts';
import { createFileReader } from './project-file.ts';
import { rankAll, rankNeighbours } from './rank.ts';
import type { Ranked } from './rank.ts';
import { listFiles } from './walk.ts';

export type { ContextFile, OmittedFile, StreamContext } from '../../domain/run/context-files.ts';

export interface ContextRequest {
  owns: readonly string[];
  reads: readonly string[];
  plan: string;
  depth: ContextDepth;
  tokenBudget: number;
}

/** Keeps what it has read between two requests. */
export interface ContextCollector {
  collect(request: ContextRequest): Promise<StreamContext>;
}

interface Candidate {
  path: string;
  role: ContextRole;
  /** Asked for by name: shown whatever the number of files. */
  isExact: boolean;
}

const MAX_FILES: Record<ContextDepth, number> = {
  minimal: 10,
  moderate: 30,
  comprehensive: Infinity,
};
/** Of the room, what one file may take that nobody asked for. */
const SHARE_OF_ONE = 0.15;
const MIN_TOKENS = 50;
const MAX_OMITTED = 200;

function isAskedFor(role: ContextRole): boolean {
  return role === 'owned' || role === 'read' || role === 'named';
}

/** As much of a file as the room allows. */
function fit(
  file: { path: string; text: string; sha256: string },
  role: ContextRole,
  room: { left: number; all: number },
): ContextFile | undefined {
  const limit = isAskedFor(role) ? room.left : Math.min(room.left, room.all * SHARE_OF_ONE);
  const { path, sha256 } = file;
  const as = (text: string, included: ContextFile['included']): ContextFile | undefined => {
    const tokens = estimateTokenCount(text) + estimateTokenCount(path);
    return tokens > limit ? undefined : { path, role, text, sha256, included, tokens };
  };
  const whole = as(file.text, 'full');
  if (whole || limit < MIN_TOKENS) return whole;
  const outline = outlineOf(path, file.text);
  const short = outline === undefined ? undefined : as(outline, 'outline');
  if (short) return short;
  const nameTokens = estimateTokenCount(path);
  const head = beginningOf(file.text, Math.floor(limit) - nameTokens);
  return head === '' ? undefined : as(head, 'head');
}

export function createContextCollector(options: { root: string }): ContextCollector {
  // The same project may be reached by a link: files are compared by where they really are.
  let opened: Promise<ReturnType<typeof open>> | undefined;
  function open(root: string) {
    const reader = createFileReader(root);
    return { root, reader, scanner: createImportScanner(root, reader) };
  }

  async function candidatesOf(
    { owns, reads, plan, depth }: ContextRequest,
    { root, scanner }: ReturnType<typeof open>,
  ): Promise<Candidate[]> {
    const files = await listFiles(root);
    const index = createProjectIndex(files);
    const found = new Map<string, Candidate>();
    const add = (path: string, role: ContextRole, isExact: boolean) => {
      if (!found.has(path)) found.set(path, { path, role, isExact });
    };
    for (const { path, isExact } of filesOfEntries(owns, files)) add(path, 'owned', isExact);
    for (const { path, isExact } of filesOfEntries(reads, files)) add(path, 'read', isExact);
    for (const path of namedFiles(plan, index)) if (!isSecret(path)) add(path, 'named', false);
    if (depth === 'minimal') return [...found.values()];
    const seeds = [...found.keys()];
    const owned = seeds.filter((path) => found.get(path)?.role === 'owned' && index.has(path));
    const graph = await scanner.scan(files, index);
    const ranked: Ranked[] =
      depth === 'moderate'
        ? rankNeighbours(graph, seeds, owned.length > 0 ? owned : seeds)
        : rankAll(graph, files, owned.length > 0 ? owned : seeds);
    for (const { path, role } of ranked) {
      if (!isSecret(path) && !isMadeByTools(path)) add(path, role, false);
    }
    return [...found.values()];
  }

  return {
    async collect(request) {
      opened ??= realpath(options.root).then(open);
      const project = await opened;
      const candidates = await candidatesOf(request, project);
      const files: ContextFile[] = [];
      const omitted: OmittedFile[] = [];
      let tokens = 0;
      const leaveOut = (one: OmittedFile) => {
        if (omitted.length < MAX_OMITTED) omitted.push(one);
      };
      for (const { path, role, isExact } of candidates) {
        const room = { left: request.tokenBudget - tokens, all: request.tokenBudget };
        // The rest of a project needs no mention once there is no room for it.
        if (role === 'ranked' && room.left < MIN_TOKENS) break;
        const isOwned = role === 'owned';
        const file = await project.reader.read(path, { isOwned });
        if (file.kind === 'missing') continue;
        if (file.kind === 'omitted') {
          if (isAskedFor(role)) leaveOut({ path, reason: file.reason, bytes: file.bytes });
          continue;
        }
        if (!isOwned && !isExact && files.length >= MAX_FILES[request.depth]) {
          const reason = `more than ${MAX_FILES[request.depth]} files`;
          leaveOut({ path, reason, bytes: file.bytes });
          continue;
        }
        const shown = fit(file, role, room);
        if (shown) {
          files.push(shown);
          tokens += shown.tokens;
        } else if (role !== 'ranked') leaveOut({ path, reason: 'no room', bytes: file.bytes });
      }
      return { files, omitted, tokens };
    },
  };
}
