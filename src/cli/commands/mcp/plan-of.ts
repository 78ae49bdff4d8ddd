// The plan of a manifest, for assistants: the document of `millrace plan --json`.
import { join, relative } from 'node:path';
import { planManifest } from '../../../manifest/plan-manifest.ts';
import { withKnownState } from '../../../orchestrator/index.ts';
import type { ProjectPlace } from '../../../orchestrator/index.ts';
import { loadManifest } from '../manifests/load.ts';
import { makePlan } from '../manifests/make-plan.ts';
import { modelPricesOf } from '../manifests/model-prices.ts';
import { toJson } from '../manifests/plan-document.ts';
import { DEFAULT_MANIFEST, targetOf } from '../manifests/source.ts';

/** As many streams at a time as a run has where nobody says another number. */
const CONCURRENCY = 8;

export async function planOf(
  { root, stateDir }: ProjectPlace,
  text: string,
  { env, defaultModel }: { env: NodeJS.ProcessEnv; defaultModel: string | undefined },
): Promise<object> {
  const loaded = loadManifest({ file: DEFAULT_MANIFEST, text });
  if (loaded.kind === 'invalid') {
    const message = `${DEFAULT_MANIFEST} is not a valid manifest.`;
    return { error: { code: 'MANIFEST_INVALID', message, problems: loaded.problems } };
  }
  const order = planManifest(loaded.manifest);
  if (order.kind === 'cyclic') throw new Error('A valid manifest has no cycles');
  const file = join(root, DEFAULT_MANIFEST);
  const known = await withKnownState(
    stateDir,
    { file: relative(root, await targetOf(file)) },
    loaded.manifest,
  );
  const document = await makePlan(
    { file, manifest: known, order, warnings: loaded.warnings },
    { model: undefined, defaultModel, concurrency: CONCURRENCY },
    { root, stateDir, prices: modelPricesOf(env) },
  );
  return { ...toJson(document), file: DEFAULT_MANIFEST };
}
