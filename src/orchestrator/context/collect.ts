// Collects what a model is shown for a stream, nearest first, until the room is used up. Tokens are
// estimated in the same way as by the service (tokenx).
import { realpath } from 'node:fs/promises';
import type { ContextDepth } from '../../manifest/model.ts';
import type { OmittedFile, StreamContext } from '../../domain/run/context-files.ts';
import { candidatesOf } from './candidates.ts';
import type { Candidate, ContextRequest } from './candidates.ts';
import { createFileLister } from '../../project/file-list.ts';
import type { FileLister } from '../../project/file-list.ts';
import { MIN_TOKENS, createFitting, isAskedFor } from './fitting.ts';
import type { Fit } from './fitting.ts';
import { createSnapshots } from '../../project/snapshots.ts';
import type { ListedFiles } from '../../project/read-instructions.ts';
import { createFileReader } from '../../project/project-file.ts';
import type { FileReader } from '../../project/project-file.ts';
import type { ProjectTree } from '../../project/project-tree.ts';
import { createTimeSlice } from '../../project/time-slice.ts';

export type { ContextFile, OmittedFile, StreamContext } from '../../domain/run/context-files.ts';

/** Keeps what it has seen and read between two requests; may be asked many times at once. */
export interface ContextCollector extends ListedFiles {
  collect(request: ContextRequest): Promise<StreamContext>;
}

const MAX_FILES: Record<ContextDepth, number> = {
  minimal: 10,
  moderate: 30,
  comprehensive: Infinity,
};
const MAX_OMITTED = 200;

const LISTING_TOKENS = 2000;
/** Of the room, what the list of files may take. */
const LISTING_SHARE = 0.05;

interface Parts {
  reader: FileReader;
  fit: Fit;
  lister: FileLister;
}

/** What one stream is shown, as it grows. */
function startContext(
  { depth, tokenBudget, known }: ContextRequest,
  { reader, fit, lister }: Parts,
) {
  const slice = createTimeSlice();
  const context: StreamContext = { files: [], omitted: [], tokens: 0 };
  const leaveOut = (one: OmittedFile) => {
    if (context.omitted.length < MAX_OMITTED) context.omitted.push(one);
  };

  function add({ path, role, isExact }: Candidate): void {
    const room = { left: tokenBudget - context.tokens, all: tokenBudget };
    // The rest of a project needs no mention once there is no room for it.
    if (role === 'ranked' && room.left < MIN_TOKENS) return;
    const isOwned = role === 'owned';
    const file = reader.read(path, { isOwned });
    if (file.kind === 'missing') return;
    const about = { path, role, bytes: file.bytes };
    if (file.kind === 'omitted') {
      if (isAskedFor(role)) leaveOut({ ...about, cause: 'file', reason: file.reason });
      return;
    }
    if (!isOwned && known?.get(path) === file.text) return;
    if (!isOwned && !isExact && context.files.length >= MAX_FILES[depth]) {
      leaveOut({ ...about, cause: 'count', reason: `more than ${MAX_FILES[depth]} files` });
      return;
    }
    const shown = fit(file, role, room);
    if (shown) {
      context.files.push(shown);
      context.tokens += shown.tokens;
    } else if (role !== 'ranked') leaveOut({ ...about, cause: 'room', reason: 'no room' });
  }

  return {
    context,
    async add(candidates: readonly Candidate[]): Promise<void> {
      for (const candidate of candidates) {
        if (slice.isOver()) await slice.next();
        add(candidate);
      }
    },
    /** A list of the whole project, as far as there is room. */
    list(tree: ProjectTree, near: readonly string[]): void {
      const room = tokenBudget - context.tokens;
      const most = Math.min(LISTING_TOKENS, tokenBudget * LISTING_SHARE, room);
      const listed = lister.list(tree, near, most);
      if (listed === undefined) return;
      context.listing = listed.text;
      context.tokens += listed.tokens;
    },
  };
}

export function createContextCollector(options: { root: string }): ContextCollector {
  // The same project may be reached by a link: files are compared by where they really are.
  let opened: Promise<ReturnType<typeof open>> | undefined;
  // What is listed is the project as the run began. With all that streams write meanwhile, the same
  // stream would be asked something else each time, and no answer could ever be used again.
  let listed: ProjectTree | undefined;
  function open(root: string) {
    const snapshots = createSnapshots(root);
    return {
      snapshots,
      reader: createFileReader(root),
      fit: createFitting(),
      lister: createFileLister(),
    };
  }

  return {
    async listed(paths) {
      opened ??= realpath(options.root).then(open);
      const { index } = await (await opened).snapshots.next({ withGraph: false });
      return paths.map((path) => ({ path, isListed: index.has(path) }));
    },
    async collect(request) {
      opened ??= realpath(options.root).then(open);
      const { snapshots, ...parts } = await opened;
      const snapshot = await snapshots.next({ withGraph: request.depth !== 'minimal' });
      const candidates = candidatesOf(request, snapshot);
      const asked = candidates.filter(({ role }) => isAskedFor(role));
      const { context, add, list } = startContext(request, parts);
      await add(asked);
      list(
        (listed ??= snapshot.tree()),
        asked.map(({ path }) => path),
      );
      await add(candidates.slice(asked.length));
      return context;
    },
  };
}
