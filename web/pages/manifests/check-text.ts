// What a text says as a manifest: its problems and its plan. All in the browser.
import type { Manifest } from '../../../src/manifest/model.ts';
import { explainStream, planManifest } from '../../../src/manifest/plan-manifest.ts';
import type { Reason } from '../../../src/manifest/plan-manifest.ts';
import type { Problem } from '../../../src/manifest/problem.ts';
import { parseManifest } from '../../../src/manifest/text/parse.ts';

export interface ShownStream {
  id: string;
  name: string;
  owns: readonly string[];
  /** Why it is in its wave. */
  why: string;
  waitsFor: readonly Reason[];
  /** Moved behind a stream that writes the same files. */
  isMoved: boolean;
}

export interface CheckedText {
  problems: readonly Problem[];
  /** Undefined while the text is no valid manifest. */
  plan:
    | {
        name: string;
        manifest: Manifest;
        waves: ShownStream[][];
        criticalPath: readonly string[];
      }
    | undefined;
}

export function checkText(text: string): CheckedText {
  const parsed = parseManifest(text);
  if (parsed.kind === 'invalid') return { problems: parsed.problems, plan: undefined };
  const { manifest, problems } = parsed;
  const plan = planManifest(manifest);
  if (plan.kind === 'cyclic') return { problems, plan: undefined };
  const shown = (id: string): ShownStream => {
    const explained = explainStream(manifest, plan, id);
    const stream = manifest.streams.get(id);
    return {
      id,
      name: stream === undefined ? id : 'name' in stream ? stream.name : stream.description,
      owns: stream !== undefined && 'owns' in stream ? stream.owns : [],
      why: explained?.why ?? '',
      waitsFor: explained?.waitsFor ?? [],
      isMoved: explained?.waitsFor.some(({ reason }) => reason === 'owns') ?? false,
    };
  };
  return {
    problems,
    plan: {
      name: manifest.notation === 'A' ? manifest.name : manifest.feature,
      manifest,
      waves: plan.waves.map((ids) => ids.map(shown)),
      criticalPath: plan.criticalPath,
    },
  };
}
