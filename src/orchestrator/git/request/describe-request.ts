// The description of a request. What comes from manifests, commands and models is text in it: it notifies nobody and hides
// nothing.
import { plusEstimate } from '../../../domain/run/estimate-text.ts';

export interface DescribedStream {
  id: string;
  name: string;
  plan: string;
  files: readonly string[];
  status: string;
}

/** One that passed: where one fails, nothing is pushed or described. */
export interface DescribedCheck {
  stream: string;
  command: string;
}

export interface RequestText {
  streams: readonly DescribedStream[];
  checks: readonly DescribedCheck[];
  runId: string;
  runUrl: string | undefined;
  costUsd: number | null;
  estimatedUsd: number | null | undefined;
  models: readonly string[];
  /** Of the repository, for its people to fill in. */
  template: string | undefined;
  longest: number;
  /** Of a stack. */
  parts?: StackPlace | undefined;
}

export interface StackPlace {
  /** From the target up, from 0. */
  at: number;
  /** As the forge writes them; undefined for one that is still to be opened. */
  names: readonly (string | undefined)[];
}

const LONGEST_PLAN = 1200;
const MOST_FILES = 30;
const SPACE = '\u200b';

/** `@name` would notify, `<` would begin HTML, and a line of dashes a section. */
export function asText(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
      .replaceAll('@', `@${SPACE}`)
      .replaceAll('<', `<${SPACE}`)
      .replaceAll('![', '!\\[')
  );
}

const short = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most).trimEnd()} ...`;

/** As code, whatever is in it. */
export function asCode(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

function streamPart({ name, plan, files, status, id }: DescribedStream): string {
  const state = status === 'complete' ? '' : ` (${status})`;
  const shown = files.slice(0, MOST_FILES).map((file) => `- ${asCode(file)}`);
  const more = files.length > MOST_FILES ? [`- and ${files.length - MOST_FILES} more`] : [];
  const quoted = short(asText(plan.trim()), LONGEST_PLAN)
    .split('\n')
    .map((line) => `> ${line}`);
  const heading = asText((name || id).replaceAll(/\s+/g, ' '));
  return [`### ${heading}${state}`, quoted.join('\n'), [...shown, ...more].join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

function checksPart(checks: readonly DescribedCheck[]): string {
  if (checks.length === 0) return '## Checks\n\nThe plan has no checks.';
  const rows = checks.map(
    ({ stream, command }) =>
      `| ${asText(stream)} | ${asCode(command).replaceAll('|', '\\|')} | passed |`,
  );
  return ['## Checks', '', '| Stream | Command | Result |', '| --- | --- | --- |', ...rows].join(
    '\n',
  );
}

function runPart({ runId, runUrl, costUsd, estimatedUsd, models }: RequestText): string {
  const charged = costUsd === null ? 'cost not known' : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`;
  const cost = charged + plusEstimate(estimatedUsd);
  const run = runUrl === undefined ? asCode(runId) : `[${runId}](${runUrl})`;
  return `## Run\n\n${run}: ${models.map(asCode).join(', ') || 'no model'}, ${cost}`;
}

function stackPart({ at, names }: StackPlace): string {
  const lines = names.map((name, index) => {
    const what = index === at ? 'this one' : (name ?? 'to be opened');
    return `${index + 1}. ${what}`;
  });
  return `## Stack\n\nOne request for each wave, to be taken in this order:\n\n${lines.join('\n')}`;
}

/** Where it is too long for the forge, plans go first; the list of checks and the run stay. */
export function describeRequest(request: RequestText): string {
  const { streams, checks, template, longest, parts: stack } = request;
  const head = template === undefined ? [] : [template.trim()];
  const place = stack === undefined ? [] : [stackPart(stack)];
  const tail = [...place, checksPart(checks), runPart(request)];
  const parts = streams.map(streamPart);
  const whole = [...head, '## Plan', ...parts, ...tail].join('\n\n');
  if (whole.length <= longest) return `${whole}\n`;
  const names = streams.map(({ id, name, status }) => `- ${asText(name || id)} (${status})`);
  const list = [...head, '## Plan', names.join('\n'), ...tail].join('\n\n');
  return `${short(list, longest - 10)}\n`;
}
