// The plan of a manifest in either notation, with the reason for everything in it.
import type { FeatureManifest, Manifest } from './model.ts';
import { patternsOverlap } from './patterns/overlap.ts';
import { planStreams } from './plan.ts';
import type { Plan, StreamOrder } from './plan.ts';
import { patternsOf } from './stream-graph.ts';
import type { StreamShape } from './stream-graph.ts';

/** Two entries of `owns` that can name the same file. */
export interface SharedEntry {
  mine: string;
  theirs: string;
}

export interface Reason {
  id: string;
  reason: 'dep' | 'owns';
  /** The first pair found, for a stream that waits because both write the same. */
  shared?: SharedEntry;
}

export interface Explanation {
  id: string;
  wave: number;
  waitsFor: Reason[];
  /** Why this wave, in a sentence. */
  why: string;
}

/** In notation A nothing depends on anything: all streams are one wave. */
export function shapesOf(manifest: Manifest): ReadonlyMap<string, StreamShape> {
  if (manifest.notation === 'B') return manifest.streams;
  return new Map([...manifest.streams.keys()].map((id) => [id, {}]));
}

export function planManifest(manifest: Manifest): Plan {
  return planStreams(shapesOf(manifest));
}

function firstShared(mine: readonly string[], theirs: readonly string[]): SharedEntry | undefined {
  for (const entry of mine) {
    const patterns = patternsOf([entry]);
    for (const other of theirs) {
      const others = patternsOf([other]);
      if (patterns.some((a) => others.some((b) => patternsOverlap(a, b)))) {
        return { mine: entry, theirs: other };
      }
    }
  }
  return undefined;
}

function ownsOf(manifest: Manifest, id: string): readonly string[] {
  return (manifest as FeatureManifest).streams.get(id)?.owns ?? [];
}

function because({ id, reason, shared }: Reason): string {
  if (reason === 'dep') return `${id} (a dependency)`;
  if (shared === undefined) return `${id} (both write to the same folder)`;
  const { mine, theirs } = shared;
  if (mine === theirs) return `${id} (both write ${mine})`;
  return `${id} (its ${theirs} and ${mine} can be the same file)`;
}

/** Why a stream is in its wave and what it waits for. */
export function explainStream(
  manifest: Manifest,
  plan: StreamOrder,
  id: string,
): Explanation | undefined {
  const planned = plan.streams.get(id);
  if (planned === undefined) return undefined;
  const waitsFor = planned.waitsFor.map((wait): Reason => {
    const shared =
      wait.reason === 'owns'
        ? firstShared(ownsOf(manifest, id), ownsOf(manifest, wait.id))
        : undefined;
    return { ...wait, ...(shared && { shared }) };
  });
  return { id, wave: planned.wave, waitsFor, why: whyThisWave(plan, planned.wave, waitsFor) };
}

function whyThisWave(plan: StreamOrder, wave: number, waitsFor: readonly Reason[]): string {
  if (waitsFor.length === 0) return `Wave ${wave}: no dependencies.`;
  const last = waitsFor.filter(({ id }) => plan.streams.get(id)?.wave === wave - 1);
  const names = last.map(because).join(', ');
  return `Wave ${wave}: right after ${names} in wave ${wave - 1}.`;
}
