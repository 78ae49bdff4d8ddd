// A request for each wave, each on top of the one before: smaller to read, and taken one after the other.
import type { Manifest } from '../../../manifest/model.ts';
import { planManifest } from '../../../manifest/plan-manifest.ts';
import { commitsOn } from '../../../git/rewrite.ts';
import type { RequestPart } from './request-record.ts';

/** Streams that are not in the manifest any more come last. */
export function wavesOfManifest(manifest: Manifest): (stream: string) => number {
  const plan = planManifest(manifest);
  if (plan.kind === 'cyclic') return () => 0;
  return (stream) => plan.streams.get(stream)?.wave ?? plan.waves.length;
}

/** All but the last, which is the branch itself. The commits stand in the order of the waves. */
export async function partsOf(
  folder: string,
  {
    base,
    branch,
    rootOf,
    waveOf,
  }: {
    base: string;
    branch: string;
    rootOf(stream: string): string;
    waveOf(stream: string): number;
  },
): Promise<RequestPart[]> {
  const parts = new Map<number, { commit: string; streams: Set<string> }>();
  let wave = 0;
  for (const { id, stream } of await commitsOn(folder, base)) {
    if (stream !== '') wave = waveOf(rootOf(stream));
    const part = parts.get(wave) ?? { commit: id, streams: new Set() };
    part.commit = id;
    if (stream !== '') part.streams.add(rootOf(stream));
    parts.set(wave, part);
  }
  return [...parts.values()].slice(0, -1).map(({ commit, streams }, at) => ({
    branch: `${branch}-part-${at + 1}`,
    commit,
    streams: [...streams],
    number: null,
    url: null,
  }));
}
