// A run request in words: what was asked for, who makes it, and what came of it.
import type { RunRequest, RunRequestWork } from '../../../contract/run-request-api.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { localTime } from '../../terminal/local-time.ts';
import { harmless } from '../../terminal/diff-colours.ts';
import { styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { statusStyle } from '../../terminal/status-style.ts';

/** In a few words, for a line. */
export function workOf({ manifest, task, planOnly, run }: RunRequestWork): string {
  if (run !== undefined) return `${run.action} ${plain(run.id)}`;
  if (task !== undefined) return `${planOnly ? 'plan ' : ''}${plain(task)}`;
  return manifest !== undefined && 'path' in manifest ? plain(manifest.path) : 'its own manifest';
}

/** What it is at, in one line. */
export function stateOf(request: RunRequest): string {
  const { status, runner, waitsFor, cancelRequested, runId } = request;
  const on = runner === null ? '' : ` on ${plain(runner.name)}`;
  if (status === 'queued') return waitsFor === null ? 'queued' : `queued: ${plain(waitsFor)}`;
  if (status !== 'running') return `${status}${on}`;
  if (cancelRequested) return `being cancelled${on}`;
  return `running${on}${runId === null ? '' : `, as ${plain(runId)}`}`;
}

export const hasEnded = ({ endedAt }: RunRequest): boolean => endedAt !== null;

export const exitOf = ({ status }: RunRequest): number =>
  status === 'completed' ? EXIT.ok : EXIT.failed;

export function requestText(request: RunRequest): string {
  const { id, status, project, work, requestedBy, outcome, runId, createdAt, attempts } = request;
  const line = (name: string, text: string) => `${styled('dim', name.padEnd(8))}  ${text}`;
  const lines = [
    `${styled('bold', id)}  ${styled(statusStyle(status), stateOf(request))}`,
    line('Project', plain(project)),
    line('Work', workOf(work)),
    line('By', `${plain(requestedBy.email)}, ${localTime(createdAt)}`),
    ...(runId === null ? [] : [line('Run', plain(runId))]),
    ...(attempts > 1 ? [line('Taken', `${attempts} times`)] : []),
    ...(outcome?.branch === undefined ? [] : [line('Branch', plain(outcome.branch))]),
    ...(outcome?.requestUrl === undefined ? [] : [line('Request', plain(outcome.requestUrl))]),
    ...(outcome?.failure === undefined ? [] : [line('Why', outcome.failure.replace('_', ' '))]),
    ...(outcome?.remedy === undefined ? [] : [line('Remedy', plain(outcome.remedy))]),
  ];
  const said = [outcome?.message ?? '', outcome?.manifest ?? ''].filter((text) => text !== '');
  return [...lines, ...said.flatMap((text) => ['', harmless(text)])].join('\n');
}

export const followCommand = ({ id }: RunRequest): string =>
  commandLine('requests', 'get', id, '--wait');
