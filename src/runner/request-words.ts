// What a request comes to as commands: the words that a person would type in that project. Each value is one word of its
// own, and no shell reads them.
import type { RunRequestWork } from '../contract/run-request-api.ts';

/** Of every command: it asks nobody, and shows plain lines. */
const QUIET = ['--no-input', '--progress', 'plain'];

/** What a run was started with that holds for what is done of it later, where the request says nothing else. */
export type EarlierChoices = Pick<RunRequestWork, 'model' | 'agent' | 'maxCostUsd'>;

/** `args`: as the run has noted them. */
export function earlierChoices(args: readonly string[]): EarlierChoices {
  const valueOf = (flag: string) => {
    const at = args.indexOf(flag);
    return at === -1 ? undefined : args[at + 1];
  };
  const [model, agent, maxCost] = ['--model', '--agent', '--max-cost'].map(valueOf);
  const maxCostUsd = Number(maxCost);
  return {
    ...(model === undefined ? {} : { model }),
    ...(agent === undefined ? {} : { agent }),
    ...(maxCost === undefined || !(maxCostUsd > 0) ? {} : { maxCostUsd }),
  };
}

export interface RunPlace {
  /** The manifest; outside of the project where it came with the request. */
  file: string;
  branch: string | undefined;
  base: string | undefined;
}

export function planWords(work: RunRequestWork, file: string): string[] {
  const { task = '', model } = work;
  const from = model === undefined ? [] : ['--model', model];
  return ['new', ...QUIET, ...from, '--write', file, '--force', '--', task];
}

export function runWords(work: RunRequestWork, { file, branch, base }: RunPlace): string[] {
  const { model, agent, maxCostUsd, from, only } = work;
  const onBranch = branch === undefined ? [] : ['--git', `branch=${branch}`];
  return [
    'run',
    ...QUIET,
    ...onBranch,
    ...(base === undefined || branch === undefined ? [] : ['--base', base]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(agent === undefined ? [] : ['--agent', agent]),
    ...(maxCostUsd === undefined ? [] : ['--max-cost', String(maxCostUsd)]),
    ...(from === undefined ? [] : ['--from', from]),
    ...(only === undefined ? [] : ['--only', only.join(',')]),
    '--',
    file,
  ];
}

/** Of a run that was made here before. */
export function followUpWords(
  action: 'revert' | 'review' | 'request' | 'fix',
  runId: string,
): string[] {
  switch (action) {
    case 'revert':
      return ['revert', ...QUIET, '--delete-branch', '--', runId];
    case 'review':
      return ['review', ...QUIET, '--review-in', 'web', '--', runId];
    case 'request':
      return ['pr', ...QUIET, '--', runId];
    case 'fix':
      return ['pr', 'fix', ...QUIET, '--', runId];
  }
}
