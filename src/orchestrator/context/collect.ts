// Collects what a model is shown for a stream, nearest first, until the room is used up. Tokens are
// estimated in the same way as by the service (tokenx).
import { realpath } from 'node:fs/promises';
import { estimateTokenCount } from 'tokenx';
import type { ContextDepth } from '../../manifest/model.ts';
import type {
  ContextFile,
  ContextRole,
  OmittedFile,
  StreamContext,
} from '../../domain/run/context-files.ts';
import { createLooks } from './looks.ts';
import type { Look } from './looks.ts';
import { namedFiles } from './named-files.ts';
import { isMadeByTools, isSecret } from './never-shown.ts';
import { beginningOf, outlineOf } from './outline/outline.ts';
import { createFileReader } from './project-file.ts';
import type { ReadFile } from './project-file.ts';
import { rankAll, rankNeighbours } from './rank.ts';
import type { Ranked } from './rank.ts';
import { createTimeSlice } from './time-slice.ts';

export type { ContextFile, OmittedFile, StreamContext } from '../../domain/run/context-files.ts';

export interface ContextRequest {
  owns: readonly string[];
  reads: readonly string[];
  plan: string;
  depth: ContextDepth;
  tokenBudget: number;
}

/** Keeps what it has seen and read between two requests; may be asked many times at once. */
export interface ContextCollector {
  collect(request: ContextRequest): Promise<StreamContext>;
  /** Which of these are files of the project, as its version control would list them. */
  listed(paths: readonly string[]): Promise<{ path: string; isListed: boolean }[]>;
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

type Text = Extract<ReadFile, { kind: 'text' }>;

/** What does not depend on the room; for as long as the text is kept. */
interface Measured {
  tokens: number;
  nameTokens: number;
  /** Null when it has none. */
  outline?: { text: string; tokens: number } | null;
}

function createFitting() {
  const measured = new WeakMap<Text, Measured>();

  function measure(file: Text): Measured {
    let known = measured.get(file);
    if (known === undefined) {
      const nameTokens = estimateTokenCount(file.path);
      known = { tokens: estimateTokenCount(file.text) + nameTokens, nameTokens };
      measured.set(file, known);
    }
    return known;
  }

  function outlineIn(file: Text, known: Measured): Measured['outline'] {
    if (known.outline === undefined) {
      const text = outlineOf(file.path, file.text);
      const tokens = text === undefined ? 0 : estimateTokenCount(text) + known.nameTokens;
      known.outline = text === undefined ? null : { text, tokens };
    }
    return known.outline;
  }

  /** As much of a file as the room allows. */
  return (
    file: Text,
    role: ContextRole,
    room: { left: number; all: number },
  ): ContextFile | undefined => {
    const limit = isAskedFor(role) ? room.left : Math.min(room.left, room.all * SHARE_OF_ONE);
    const { path, sha256 } = file;
    const known = measure(file);
    const { nameTokens, tokens } = known;
    if (tokens <= limit) return { path, role, text: file.text, sha256, included: 'full', tokens };
    if (limit < MIN_TOKENS) return undefined;
    const outline = outlineIn(file, known);
    if (outline && outline.tokens <= limit) {
      return { path, role, ...outline, sha256, included: 'outline' };
    }
    const head = beginningOf(file.text, Math.floor(limit) - nameTokens);
    const headTokens = estimateTokenCount(head) + nameTokens;
    if (head === '' || headTokens > limit) return undefined;
    return { path, role, text: head, sha256, included: 'head', tokens: headTokens };
  };
}

function candidatesOf({ owns, reads, plan, depth }: ContextRequest, look: Look): Candidate[] {
  const { index, entries, graph } = look;
  const found = new Map<string, Candidate>();
  const add = (path: string, role: ContextRole, isExact: boolean) => {
    if (!found.has(path)) found.set(path, { path, role, isExact });
  };
  for (const { path, isExact } of entries.filesOf(owns)) add(path, 'owned', isExact);
  for (const { path, isExact } of entries.filesOf(reads)) add(path, 'read', isExact);
  for (const path of namedFiles(plan, index)) if (!isSecret(path)) add(path, 'named', false);
  if (depth === 'minimal') return [...found.values()];
  const seeds = [...found.keys()];
  const owned = seeds.filter((path) => found.get(path)?.role === 'owned' && index.has(path));
  const centre = owned.length > 0 ? owned : seeds;
  const ranked: Ranked[] =
    depth === 'moderate' ? rankNeighbours(graph, seeds, centre) : rankAll(look.ranked(), centre);
  for (const { path, role } of ranked) {
    if (!isSecret(path) && !isMadeByTools(path)) add(path, role, false);
  }
  return [...found.values()];
}

export function createContextCollector(options: { root: string }): ContextCollector {
  // The same project may be reached by a link: files are compared by where they really are.
  let opened: Promise<ReturnType<typeof open>> | undefined;
  function open(root: string) {
    return { reader: createFileReader(root), looks: createLooks(root), fit: createFitting() };
  }

  return {
    async listed(paths) {
      opened ??= realpath(options.root).then(open);
      const { index } = await (await opened).looks.next({ withGraph: false });
      return paths.map((path) => ({ path, isListed: index.has(path) }));
    },
    async collect(request) {
      opened ??= realpath(options.root).then(open);
      const { reader, looks, fit } = await opened;
      const look = await looks.next({ withGraph: request.depth !== 'minimal' });
      const candidates = candidatesOf(request, look);
      const slice = createTimeSlice();
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
        if (slice.isOver()) await slice.next();
        const file = reader.read(path, { isOwned });
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
