// Which stream does what a person has asked for in a review: the last one that wrote the file, as a fix of it. What a
// suggestion says to the letter needs no model.
import type { RunEvent } from '../../contract/run-events.ts';
import type { Comments } from '../../domain/review/comment.ts';
import type { Decisions } from '../../domain/review/decision.ts';
import { fixId, isTakenIn } from '../../domain/run/fix-stream.ts';
import type { RunProjection } from '../../domain/run/projection.ts';
import { attemptsOf, chainOf, createReplay } from '../../domain/run/replay.ts';
import type { Manifest } from '../../manifest/model.ts';
import { createPathRule } from '../apply/allowed-path.ts';
import type { AppliedEntry } from '../apply/record.ts';
import type { WrittenFiles } from './open-review.ts';
import type { RoundRecord } from './round-record.ts';
import { wantedOf } from './take-back.ts';
import type { WantedChanges } from './take-back.ts';
import { writersOf } from './touched-streams.ts';

export interface RoundPlan extends Pick<RoundRecord, 'fixes' | 'placed' | 'left'>, WantedChanges {}

interface Reviewed {
  written: WrittenFiles;
  entries: readonly AppliedEntry[];
  events: readonly RunEvent[];
  projection: RunProjection;
  manifest: Manifest;
  /** Files that no stream may write. */
  protectedPaths: readonly string[];
  decisions: Decisions;
  comments: Comments;
  onlyWritten: boolean;
}

type Owner = { stream: string } | { why: string };

/** By path: who does what is asked for there. */
async function ownersOf(reviewed: Reviewed): Promise<Map<string, Owner>> {
  const { written, entries, projection, manifest, protectedPaths, comments, onlyWritten } =
    reviewed;
  const paths = new Set([...comments.values()].map(({ path }) => path));
  const shown = new Set(written.files.map(({ change }) => change.path));
  const changed = new Set(written.changedSince.map(({ change }) => change.path));
  const writers = await writersOf(entries, projection, paths);
  const isComplete = (id: string) => projection.streams.get(id)?.status === 'complete';
  const mayWrite = (id: string, path: string) => {
    const stream = manifest.streams.get(id);
    if (stream === undefined || !isComplete(id)) return false;
    const owns = 'owns' in stream ? stream.owns : [];
    return createPathRule({ owns, protectedPaths }).problemWith(path) === undefined;
  };
  function ownerOf(path: string): Owner {
    if (onlyWritten && changed.has(path)) {
      return { why: `${path} was changed by others since the run` };
    }
    if (onlyWritten && !shown.has(path)) {
      return { why: `${path} is no part of the review any more` };
    }
    const wrote = [...writers].filter(([, files]) => files.includes(path)).map(([id]) => id);
    const stream = wrote.findLast((id) => mayWrite(id, path));
    if (stream !== undefined) return { stream };
    const other = [...manifest.streams.values()].find(
      (one) => 'owns' in one && one.owns.length > 0 && mayWrite(one.id, path),
    );
    return other === undefined
      ? { why: `no stream of the manifest may write ${path} any more` }
      : { stream: other.id };
  }
  return new Map([...paths].map((path) => [path, ownerOf(path)]));
}

export async function planRound(reviewed: Reviewed): Promise<RoundPlan> {
  const { written, events, manifest, decisions, comments } = reviewed;
  const owners = await ownersOf(reviewed);
  const isOwned = (path: string) => 'stream' in (owners.get(path) ?? {});
  const wanted = wantedOf(written, decisions, (path) => {
    const suggested = [...comments].filter(
      ([, one]) => one.path === path && one.suggestion !== undefined && isOwned(path),
    );
    return new Map(suggested);
  });
  // Words beside a suggestion that was made say why, and ask for nothing more.
  const placed = new Set(wanted.placed);
  const asked = new Map<string, string[]>();
  const left: RoundPlan['left'] = [];
  for (const [id, { path }] of comments) {
    if (placed.has(id)) continue;
    const owner = owners.get(path)!;
    if ('why' in owner) left.push({ id, why: owner.why });
    else asked.set(owner.stream, [...(asked.get(owner.stream) ?? []), id]);
  }
  const { record } = createReplay(events);
  const fixes = [...asked].map(([stream, ids]) => {
    const isOther = isTakenIn(manifest.streams, stream);
    const isTaken = (id: string) => isOther(id) || record.fixes.has(id) || record.requested.has(id);
    const fix = fixId(stream, attemptsOf(chainOf(record, stream)), isTaken);
    return { stream, fix, comments: ids };
  });
  return { ...wanted, fixes, left };
}
