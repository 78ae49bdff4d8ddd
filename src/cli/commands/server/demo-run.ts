// The run of the demo: a sample manifest in a temporary project, with real files and real checks.
import { cp, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MillraceClient } from '../../../client/index.ts';
import { createRunReporter } from '../../../orchestrator/run/report-run.ts';
import { runManifest } from '../../../orchestrator/run/run.ts';
import { stateHomeOf } from '../../../config/state-folder.ts';
import { findStateDir } from '../../../orchestrator/state/state-dir.ts';
import type { ProjectPlace } from '../../../orchestrator/state/state-dir.ts';
import type { RunEnd } from '../../../orchestrator/run/context.ts';
import { loadPrices } from '../../../providers/prices.ts';
import type { Progress } from '../../terminal/progress.ts';
import { createModelPrices } from '../manifests/model-prices.ts';
import { glyphsFor } from '../../terminal/glyphs.ts';
import { openView } from '../runs/view/open-view.ts';
import { createProjector } from '../../../domain/run/projection.ts';
import { showSummary } from '../runs/view/summary.ts';
import { print, styled } from '../../terminal/output.ts';

const SAMPLE = fileURLToPath(new URL('../../../../examples/bookshelf/', import.meta.url));

export interface DemoProject extends ProjectPlace {
  remove(): Promise<void>;
}

export async function createDemoProject(): Promise<DemoProject> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'millrace-demo-')));
  await cp(SAMPLE, root, { recursive: true });
  // Where every command looks for it: the run can be looked at from another terminal.
  const stateDir = await findStateDir(root, stateHomeOf(process.env, homedir()));
  return {
    root,
    stateDir,
    async remove() {
      for (const path of [root, stateDir]) await rm(path, { recursive: true, force: true });
    },
  };
}

/** About as fast as people read, so that the dashboard can be followed while it happens. */
const WATCHABLE = 'sim-demo';

export interface DemoRunOptions {
  runId: string;
  /** With the model of the manifest, which answers at once. */
  isFast: boolean;
  stop: AbortSignal;
  progress: Progress;
  /** Called again and again, while the run can be watched in the dashboard. */
  onReported(): void;
}

export async function runDemo(
  { root, stateDir }: DemoProject,
  server: { url: string; key: string },
  { runId, isFast, stop, progress, onReported }: DemoRunOptions,
): Promise<RunEnd> {
  const projector = createProjector();
  const cancel = new AbortController();
  const view = openView(progress, projector, 'ctrl-c stops', process.env);
  const client = new MillraceClient(server.url, server.key);
  const reporter = createRunReporter({
    client,
    stateDir,
    manifest: await readFile(join(root, 'feature.yaml'), 'utf8'),
    onReported,
    onStopRequested: () => cancel.abort(),
  });
  try {
    return await runManifest({
      root,
      stateDir,
      manifestFile: join(root, 'feature.yaml'),
      client,
      url: server.url,
      newRunId: () => runId,
      model: isFast ? undefined : WATCHABLE,
      fallbackModel: undefined,
      concurrency: 4,
      ...createModelPrices(loadPrices(undefined), undefined),
      maxCostUsd: undefined,
      apply: 'auto',
      selection: { only: [], from: [], skip: [] },
      env: process.env,
      scrub: (text) => text.replaceAll(server.key, '***'),
      warm: true,
      // The dashboard shows them as well.
      isLive: true,
      now: () => new Date(),
      stop: AbortSignal.any([stop, cancel.signal]),
      reporter,
      onEvent: (event) => view.follow(event),
    });
  } finally {
    await reporter.close();
    view.close();
    const { end } = projector.projection;
    if (end) {
      const glyphs = glyphsFor(process.env);
      const lines = showSummary(projector.projection, end, {
        glyphs,
        paint: styled,
        // Its folder is a temporary one: it is gone when the demo is.
        again: undefined,
        isKept: false,
      });
      print(lines);
    }
  }
}
