// A plan while rules work on it. A rule takes a draft and returns one; what it repaired it says in a remark.
import { oneLine } from './proposal.ts';
import type { Proposal } from './proposal.ts';
import type { Repository } from './repository.ts';

export type RuleName =
  | 'ids'
  | 'paths'
  | 'spellings'
  | 'hubs'
  | 'cycles'
  | 'overlaps'
  | 'joins'
  | 'gain'
  | 'split'
  | 'reads'
  | 'deps'
  | 'verify';

/** One repair, in one line. Without a stream it belongs to the plan as a whole. */
export interface Remark {
  rule: RuleName;
  stream?: string;
  text: string;
}

/** The plan of one proposed stream. A joined stream has those of all it was made of. */
export interface Piece {
  name: string;
  text: string;
}

/** A file that a stream changes for others, with the plans that ask for it. */
export interface Duty {
  path: string;
  pieces: Piece[];
}

export interface DraftStream {
  id: string;
  name: string;
  pieces: Piece[];
  duties: Duty[];
  owns: string[];
  reads: string[];
  deps: string[];
  setup: string[];
  verify: string[];
}

export interface Draft {
  feature: string;
  streams: DraftStream[];
  remarks: Remark[];
}

export type Rule = (draft: Draft, repository: Repository) => Draft;

export function draftOf({ feature, streams }: Proposal, { task }: Repository): Draft {
  return {
    feature: oneLine(feature, 120) || oneLine(task, 120) || 'feature',
    streams: streams.map(({ id, name, plan, ...lists }) => ({
      ...lists,
      id: id ?? name,
      name,
      pieces: plan === '' ? [] : [{ name, text: plan }],
      duties: [],
    })),
    remarks: [],
  };
}

const MAX_REMARK = 200;

// Characters that move or hide others on the screen, beside those that oneLine takes out.
const MISLEADING = /[\p{Cf}\p{Co}\p{Cn}]/gu;

/** Texts of a proposal end up in remarks, and remarks in comments: one line, and what is seen is what is there. */
export function remark(rule: RuleName, text: string, stream?: string): Remark {
  const shown = oneLine(text.replaceAll(MISLEADING, '?'), MAX_REMARK);
  return { rule, text: shown, ...(stream !== undefined && { stream }) };
}

/** At most five of many, for a remark. */
export function shortList(items: readonly string[]): string {
  const shown = items.slice(0, 5).map((item) => oneLine(item, 60));
  const rest = items.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}

/** Texts of plans as one, with an empty line between them. One alone stays as it was written. */
export function oneText(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  return others.length === 0 ? first : texts.map((text) => text.trimEnd()).join('\n\n');
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];

/** Makes one stream of several, in the place of `target`. It keeps everything of all of them. */
export function joinStreams(
  draft: Draft,
  members: ReadonlySet<string>,
  { target, id, name }: { target: string; id: string; name: string },
): Draft {
  const joined = draft.streams.filter((stream) => members.has(stream.id));
  const owns = unique(joined.flatMap((stream) => stream.owns));
  const owned = new Set(owns);
  const stream: DraftStream = {
    id,
    name,
    pieces: unique(joined.flatMap(({ pieces }) => pieces)),
    duties: joined.flatMap(({ duties }) => duties),
    owns,
    reads: unique(joined.flatMap(({ reads }) => reads)).filter((read) => !owned.has(read)),
    deps: unique(joined.flatMap(({ deps }) => deps)).filter((dep) => !members.has(dep)),
    setup: unique(joined.flatMap(({ setup }) => setup)),
    verify: unique(joined.flatMap(({ verify }) => verify)),
  };
  const streams = draft.streams
    .filter((each) => each.id === target || !members.has(each.id))
    .map((each) => (each.id === target ? stream : each));
  const remarks = draft.remarks.map((each) =>
    each.stream !== undefined && members.has(each.stream) ? { ...each, stream: id } : each,
  );
  return { ...draft, streams: redirect(streams, members, [id]), remarks };
}

/** Streams that waited for one of `old` wait for all of `now`. */
export function redirect(
  streams: readonly DraftStream[],
  old: ReadonlySet<string>,
  now: readonly string[],
): DraftStream[] {
  return streams.map((stream) => {
    if (!stream.deps.some((dep) => old.has(dep))) return stream;
    const deps = unique(stream.deps.flatMap((dep) => (old.has(dep) ? now : [dep])));
    return { ...stream, deps: deps.filter((dep) => dep !== stream.id) };
  });
}
