// millrace new: a task in words becomes a manifest in this project.
import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { writeManifest } from '../../../../manifest/compose/write-manifest.ts';
import { surveyProject } from '../../../../planner/survey.ts';
import type { Survey } from '../../../../planner/survey.ts';
import { scanProject } from '../../../../project/scan-project.ts';
import type { ProjectScan } from '../../../../project/scan-project.ts';
import { createSnapshots } from '../../../../project/snapshots.ts';
import { CommandError, usageError } from '../../../command-error.ts';
import { commandLine } from '../../../command-name.ts';
import type { CommandOptions } from '../../../command.ts';
import { EXIT } from '../../../exit-codes.ts';
import { dollarsOf } from '../../../flag-values.ts';
import { checkModelIds } from '../../../model-advice.ts';
import { windowsFrom } from '../../../served-windows.ts';
import { leaveOnSignal } from '../../../stop-signal.ts';
import { countOf, showTokens } from '../../../terminal/figures.ts';
import { note, print } from '../../../terminal/output.ts';
import { progressOf } from '../../../terminal/progress.ts';
import { findProject } from '../../runs/project.ts';
import { checkAbsent, createFile } from '../create-file.ts';
import { isPriced, modelPricesOf } from '../model-prices.ts';
import { STDIN } from '../source.ts';
import { planOfList, planOfTask } from './make-plan.ts';
import type { Planned } from './make-plan.ts';
import { editorOf } from '../../../terminal/open-editor.ts';
import { continueWith } from './continue-with.ts';
import { openPlanningView } from './progress.ts';
import { readTask } from './read-task.ts';
import type { GivenTask } from './read-task.ts';

function fileOf({ write, edit, run, json, dryRun, maxCost }: CommandOptions): string {
  const file = String(write);
  if (file === STDIN || file.trim() === '') {
    throw usageError('--write needs the name of a file.', 'To see a plan only, use --dry-run.');
  }
  if (edit && json) throw usageError('--edit and --json cannot be used together');
  if (dryRun && run) throw usageError('--dry-run and --run cannot be used together');
  if (maxCost !== undefined && !run) {
    throw usageError('--max-cost is about the run.', 'Use it together with --run.');
  }
  return file;
}

/** From the root of the project, also where a folder on the way does not exist yet. */
function nameInProject(root: string, file: string): string {
  const path = resolve(file);
  try {
    return relative(root, join(realpathSync(dirname(path)), basename(path)));
  } catch {
    return relative(root, path);
  }
}

function checkModel(model: string | undefined): void {
  if (model === undefined) {
    throw new CommandError({
      code: 'NO_MODEL',
      message: 'No model is set to plan with.',
      hint: `Pass --model <id> (sim-fast simulates one), or set one with: ${commandLine('config', 'set', 'model', 'ID')}`,
    });
  }
  const prices = modelPricesOf(process.env);
  const { doubts } = checkModelIds([model], (id) => isPriced(prices, id));
  for (const doubt of doubts) note(doubt.trimEnd());
}

/** What would be sent, or what would be written where no model is asked. */
async function showDryRun(survey: Survey, { list }: GivenTask): Promise<number> {
  if (list !== undefined) {
    print(writeManifest(planOfList(list, survey)).trimEnd());
    note('Nothing was written. No model is needed for a task list.');
    return EXIT.ok;
  }
  const { proposalPrompt } = await import('../../../../domain/prompt/proposal-prompt.ts');
  const { request, map } = await survey.request();
  print(proposalPrompt(request));
  note(
    `The map has ${showTokens(map.tokens)} tokens: ${countOf(map.files, 'file')}, ${map.outlined.length} of them with imports and outline. No model was asked.`,
  );
  return EXIT.ok;
}

export async function newManifest(options: CommandOptions, args: string[]): Promise<number> {
  const file = fileOf(options);
  dollarsOf(options, 'maxCost', '--max-cost');
  const editor = options['edit'] ? editorOf(process.env, '--edit') : undefined;
  const isForced = options['force'] === true;
  if (!isForced && !options['dryRun']) checkAbsent(file);
  const given = await readTask(options, args[0]);
  const { root, settings } = await findProject(options);
  const asked = typeof options['model'] === 'string' ? options['model'] : undefined;
  const model =
    asked ?? settings.model?.value ?? (process.env['MILLRACE_DEFAULT_MODEL'] || undefined);
  if (given.list === undefined && !options['dryRun']) checkModel(model);
  const view = openPlanningView(progressOf(options, process.stderr, process.env), process.env);
  const stopLeaving = leaveOnSignal(() => {
    view.close();
    note('Stopped. Nothing was written, and no model was asked.');
  });
  let scan: ProjectScan;
  let survey: Survey;
  let planned: Planned | undefined;
  try {
    view.step('Reading the repository');
    scan = await scanProject(root, process.env);
    survey = await surveyProject({
      root,
      task: given.task,
      scan,
      snapshots: createSnapshots(root),
      model,
      servedWindow: model === undefined ? undefined : (await windowsFrom(options)([model]))(model),
      instructions: options['instructions'] !== false,
      protectedPaths: [nameInProject(root, file)],
    });
    if (options['dryRun'] !== true) {
      planned =
        given.list === undefined
          ? await planOfTask(survey, { model: model!, view, onAsking: stopLeaving }, options)
          : { plan: planOfList(given.list, survey), usage: undefined };
    }
  } finally {
    view.close();
    stopLeaving();
  }
  if (planned === undefined) return showDryRun(survey, given);
  if ('stopped' in planned) return planned.stopped;
  const { plan, usage } = planned;
  await createFile(file, writeManifest(plan), isForced);
  return continueWith({ file, plan, usage, model, editor, notHere: scan.notHere }, options);
}
