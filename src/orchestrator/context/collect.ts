// Collects what a model is shown for a stream, nearest first, until the room is used up. Tokens are
// estimated in the same way as by the service (tokenx).
import { realpath } from 'node:fs/promises';
import type { ContextDepth } from '../../manifest/model.ts';
import type { ContextFile, OmittedFile, StreamContext } from '../../domain/run/context-files.ts';
import { candidatesOf } from './candidates.ts';
import { MIN_TOKENS, createFitting, isAskedFor } from './fitting.ts';
import { createLooks } from './looks.ts';
import { createFileReader } from './project-file.ts';
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

const MAX_FILES: Record<ContextDepth, number> = {
  minimal: 10,
  moderate: 30,
  comprehensive: Infinity,
};
const MAX_OMITTED = 200;

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
