// What a manifest would run, in which order, and what it may cost.
import { relative } from 'node:path';
import { ConfigError } from '../../../config.ts';
import { PLACEHOLDER_CODE } from '../../../manifest/placeholder.ts';
import { withKnownState } from '../../../orchestrator/run/known-state.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { drawAscii } from './graph/ascii.ts';
import { drawDot } from './graph/dot.ts';
import { drawMermaid } from './graph/mermaid.ts';
import { modelPricesOf } from './model-prices.ts';
import { note, print, styled, styledNote } from '../../terminal/output.ts';
import type { Paint } from '../../terminal/output.ts';
import { openProjectFiles } from './plan-files.ts';
import { plain } from '../../terminal/plain-text.ts';
import { numberOf } from '../../flag-values.ts';
import { findProject } from '../runs/project.ts';
import { loadPlan } from './load.ts';
import { describePlan, toJson } from './plan-document.ts';
import type { PlanDocument } from './plan-document.ts';
import { showPlan } from './show-plan.ts';
import { DEFAULT_MANIFEST, STDIN, readSource, targetOf } from './source.ts';

const GRAPHS: Record<string, (plan: PlanDocument, paint: Paint) => string> = {
  ascii: drawAscii,
  mermaid: drawMermaid,
  dot: drawDot,
};

function concurrencyOf(options: CommandOptions): number {
  const concurrency = numberOf(options, 'concurrency', '--concurrency') ?? 8;
  if (concurrency > 0) return concurrency;
  throw new ConfigError(['--concurrency "0": must be at least 1']);
}

export async function plan(options: CommandOptions, args: string[]): Promise<number> {
  const { model: asked } = options;
  const concurrency = concurrencyOf(options);
  const { root, stateDir, settings } = await findProject(options);
  const source = await readSource(args[0] ?? DEFAULT_MANIFEST, 'plan');
  const loaded = loadPlan(source, options);
  if (loaded === undefined) return EXIT.usage;
  const { file } = source;
  const manifest =
    file === STDIN
      ? loaded.manifest
      : await withKnownState(stateDir, relative(root, await targetOf(file)), loaded.manifest);
  const document = describePlan(
    { file: source.file, ...loaded, manifest },
    {
      model: typeof asked === 'string' ? asked : undefined,
      defaultModel: settings.model?.value,
      concurrency,
    },
    {
      files: openProjectFiles(root),
      prices: modelPricesOf(process.env),
    },
  );
  show(document, options);
  if (!options['detailedExitcode']) return EXIT.ok;
  return document.totals.toRun > 0 ? EXIT.workToDo : EXIT.ok;
}

function show(document: PlanDocument, options: CommandOptions): void {
  const draw = GRAPHS[String(options['graph'])];
  if (options['json']) {
    const graph = draw?.(document, (_style, text) => text);
    print(JSON.stringify({ ...toJson(document), ...(graph !== undefined && { graph }) }));
    return;
  }
  print(draw === undefined ? showPlan(document, styled) : draw(document, styled));
  for (const { code, message } of document.warnings) {
    // Shown already, with its place.
    if (code === PLACEHOLDER_CODE) continue;
    note(`${styledNote('yellow', 'warning')} ${code} ${plain(message)}`);
  }
}
