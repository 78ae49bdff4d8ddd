// millrace exec: a task that the server plans and runs.
import { readFile } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { Execution, MillraceClient, NewExecution } from '../../../client/index.ts';
import { ConfigError } from '../../../config.ts';
import { leadsOutside } from '../../../platform/inside-folder.ts';
import type { CommandOptions } from '../../command.ts';
import { showCost } from '../../terminal/cost-text.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print } from '../../terminal/output.ts';
import { clientOf, numberOf } from '../../remote.ts';
import { untilEnded } from '../jobs/until-ended.ts';

async function readTask(given: string | undefined): Promise<string> {
  const task = given === '-' ? await readAll(process.stdin) : (given ?? '');
  if (task.trim() === '') throw new ConfigError(['The task is empty: say what to do']);
  return task;
}

function isLinkOutside(name: string): boolean {
  try {
    return leadsOutside(process.cwd(), name) !== undefined;
  } catch {
    // There is none: told when it is read.
    return false;
  }
}

/** The texts of the files, by their path from here, as the artifacts will name them. */
async function readFiles(list: string | undefined): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const name of (list ?? '').split(',').map((each) => each.trim())) {
    if (name === '') continue;
    const path = relative(process.cwd(), resolve(name)).split(sep).join('/');
    if (path.startsWith('../')) {
      throw new ConfigError([`--files: ${name} is outside of this folder; use -C to choose it`]);
    }
    if (isLinkOutside(name)) {
      throw new ConfigError([`--files: ${name} is a link to a file outside of this folder`]);
    }
    try {
      contents[path] = await readFile(name, 'utf8');
    } catch {
      throw new ConfigError([`--files: the file ${name} cannot be read`]);
    }
  }
  return contents;
}

function dollarsOf(options: CommandOptions): number | undefined {
  const text = options['budget'];
  if (text === undefined) return undefined;
  if (/^\d{1,7}(\.\d{1,6})?$/.test(String(text)) && Number(text) > 0) return Number(text);
  throw new ConfigError([`--budget "${String(text)}": must be dollars, such as 1.50`]);
}

async function requestOf(options: CommandOptions, task: string): Promise<NewExecution> {
  const contents = await readFiles(options['files'] as string | undefined);
  const maxSteps = numberOf(options, 'maxSteps', '--max-steps');
  const maxTokens = numberOf(options, 'maxTokens', '--max-tokens');
  const timeout = numberOf(options, 'timeout', '--timeout');
  const budgetUsd = dollarsOf(options);
  return {
    task,
    ...(Object.keys(contents).length > 0
      ? { context: { contents, files: Object.keys(contents) } }
      : {}),
    options: {
      dryRun: options['dryRun'] === true,
      ...(maxSteps === undefined ? {} : { maxSteps }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(budgetUsd === undefined ? {} : { budgetUsd }),
    },
    ...(options['model'] === undefined ? {} : { model: String(options['model']) }),
    ...(options['provider'] === undefined ? {} : { provider: String(options['provider']) }),
  };
}

function exitOf({ status, result }: Execution): number {
  if (status === 'completed') return EXIT.ok;
  if (result?.error?.code === 'BUDGET_EXCEEDED') return EXIT.budget;
  if (result?.error?.code === 'TIMEOUT') return EXIT.timedOut;
  return EXIT.failed;
}

interface StepEvent {
  index: number;
  streamId: string;
  name: string;
  durationMs: number | null;
  tokensUsed: number;
}

function tellStep(step: StepEvent, total: number): void {
  const seconds = ((step.durationMs ?? 0) / 1000).toFixed(1);
  const of = total > 0 ? `/${total}` : '';
  note(
    `[${step.index + 1}${of}] ${step.name} (${step.streamId}): ${seconds} s, ${step.tokensUsed} tokens`,
  );
}

async function follow(client: MillraceClient, id: string, signal: AbortSignal): Promise<Execution> {
  let total = 0;
  for await (const { type, data } of client.executions.events(id, { signal })) {
    if (type === 'status') {
      const { progress } = data as { progress?: { total: number } };
      if (progress && progress.total !== total) {
        total = progress.total;
        note(`Planned ${total} step${total === 1 ? '' : 's'}`);
      }
    }
    if (type === 'step') tellStep(data as unknown as StepEvent, total);
    if (type === 'done') return data as unknown as Execution;
  }
  return client.executions.get(id, { signal });
}

function showPlan({ result }: Execution): void {
  for (const [index, wave] of (result?.plan?.waves ?? []).entries()) {
    print(`wave ${index + 1}: ${wave.join(', ')}`);
  }
}

function show(execution: Execution): void {
  const { result, metrics } = execution;
  print(result?.summary ?? execution.status);
  showPlan(execution);
  const { costUsd, unpricedCalls } = metrics;
  const cost = costUsd === 0 ? '' : `, ${showCost(costUsd, unpricedCalls)}`;
  const seconds = (metrics.duration / 1000).toFixed(1);
  note(`${execution.status} after ${seconds} s: ${metrics.tokensUsed} tokens${cost}`);
}

export async function runExecution(options: CommandOptions, args: string[]): Promise<number> {
  const request = await requestOf(options, await readTask(args[0]));
  const client = clientOf(options);
  // A plan that is only made to be looked at is worth waiting for.
  if (!options['wait'] && !options['dryRun']) {
    const started = await client.executions.create(request);
    print(options['json'] ? JSON.stringify(started) : started.id);
    return EXIT.ok;
  }
  let id = '';
  const { value: execution, stopped } = await untilEnded(
    async (signal) => {
      // Not cut off in the middle: then it would run on without anybody knowing its id.
      ({ id } = await client.executions.create(request));
      if (!options['json']) note(`Execution ${id}`);
      return follow(client, id, signal);
    },
    async () => {
      await client.executions.cancel(id);
      return client.executions.get(id);
    },
  );
  if (options['json']) print(JSON.stringify(execution));
  else show(execution);
  return stopped ?? exitOf(execution);
}
