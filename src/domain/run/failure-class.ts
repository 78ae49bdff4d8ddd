// What kind of failure a stream met, and what can be done about it.
import type { ErrorCode } from '../../contract/errors.ts';
import { failureOf } from '../../contract/job-codes.ts';
import type { FailureCause } from '../../contract/job-codes.ts';
import type { AskedChanges } from '../review/held-changes.ts';
import { cutOffText } from './cut-off.ts';
import type { CutOff } from './cut-off.ts';
import { findSign } from './failure-signs.ts';
import { stripTerminal } from '../prompt/prompt-text.ts';

export type FailureClass =
  | 'missing-dependency'
  | 'syntax'
  | 'refused'
  | 'edit'
  | 'verification'
  | 'timeout'
  | 'infrastructure'
  | 'setup'
  | 'answer'
  | 'review'
  | 'cut-off'
  | 'budget';

export interface FailedCommand {
  command: string;
  exitCode: number | null;
  timedOut: boolean;
  output: string;
  critical: boolean;
  /** The limit of the sandbox that it passed, as a sentence. */
  limit?: string;
  /** The stream whose check it is, when it is another one's. */
  checks?: string;
}

export type StreamFailure =
  | {
      kind: 'setup' | 'verify';
      results: readonly FailedCommand[];
      /** Files that the attempt wrote: what is broken in them is the model's mistake. */
      written?: readonly string[];
    }
  | { kind: 'call'; code: string; status: number | undefined; error: string }
  /** The artifact cannot be applied. */
  | { kind: 'artifact'; codes: readonly string[]; error: string }
  /** No artifact, or the model says that it failed. */
  | { kind: 'answer'; error: string }
  | { kind: 'cut_off'; cut: CutOff }
  /** The disk refuses to take the files: it would refuse any other answer as well. */
  | { kind: 'disk'; error: string }
  /** A person asks for other changes before these are written. */
  | { kind: 'review'; error: string; asked: AskedChanges }
  /** The stream's own time is over. */
  | { kind: 'timeout'; error: string };

export interface Classified {
  class: FailureClass;
  retryable: boolean;
  /** Whether a fix stream may be started for it. */
  mayFix: boolean;
  /** One or two lines. */
  error: string;
}

interface Chances {
  retryable: boolean;
  mayFix: boolean;
}

const FIXABLE: Chances = { retryable: true, mayFix: true };
const FINAL: Chances = { retryable: false, mayFix: false };

const CHANCES: Record<FailureClass, Chances> = {
  'missing-dependency': FINAL,
  syntax: FINAL,
  refused: FINAL,
  setup: FINAL,
  budget: FINAL,
  // It had twice the room already.
  'cut-off': FINAL,
  edit: FIXABLE,
  verification: FIXABLE,
  timeout: FIXABLE,
  answer: FIXABLE,
  review: FIXABLE,
  // Goes away by waiting: another prompt would meet it just the same.
  infrastructure: { retryable: true, mayFix: false },
};

const MAX_LINE = 300;
/** Looked at for signs; what fails is said at the end. */
const READ_OUTPUT = 256 * 1024;
const NO_SUCH_COMMAND: ReadonlySet<number | null> = new Set([126, 127]);

/** Nothing was checked: the shell could not start it. */
export function couldNotRun({ exitCode }: FailedCommand): boolean {
  return NO_SUCH_COMMAND.has(exitCode);
}

function classified(kind: FailureClass, error: string): Classified {
  return { class: kind, ...CHANCES[kind], error };
}

function cut(text: string): string {
  const line = text.trim();
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE).toWellFormed()}...` : line;
}

const TELLING =
  /\b(?:error|Error|failed|FAILED|Failed|FAIL|panicked|AssertionError|Exception|not ok|✖|×)\b|^E {2,}/;
const SUMMARY = /^(?:npm (?:error|ERR!)|make: |error Command failed|Error: Process completed)/;

/** The line that says most: an error if there is one, else the last. */
function tellingLine(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !SUMMARY.test(line));
  return lines.find((line) => TELLING.test(line)) ?? lines.at(-1);
}

function howItFailed({ command, exitCode, timedOut, limit }: FailedCommand): string {
  const name = `\`${cut(command)}\``;
  if (limit !== undefined) return `${name} was ended: ${limit}`;
  if (timedOut) return `${name} ran out of time`;
  return exitCode === null ? `${name} was ended by a signal` : `${name} exited with ${exitCode}`;
}

interface Judged {
  class: 'missing-dependency' | 'syntax' | 'timeout' | 'verification';
  error: string;
}

function judge(result: FailedCommand, written: readonly string[]): Judged {
  const output = stripTerminal(result.output.slice(-READ_OUTPUT));
  const sign = findSign(output, written);
  const kind = couldNotRun(result)
    ? 'missing-dependency'
    : sign && !sign.isOwn
      ? sign.class
      : result.timedOut
        ? 'timeout'
        : 'verification';
  const line = sign?.line ?? tellingLine(output);
  const detail = line === undefined ? '' : `\n${cut(line)}`;
  return { class: kind, error: `${howItFailed(result)}${detail}` };
}

/** Of several failures the one that no retry can fix decides: it would be there again. */
const ORDER = ['missing-dependency', 'syntax', 'verification', 'timeout'] as const;

function classifyCommands({
  kind,
  results,
  written = [],
}: Extract<StreamFailure, { kind: 'setup' | 'verify' }>): Classified {
  const failed = results.filter(
    ({ exitCode, timedOut, critical }) => critical && (exitCode !== 0 || timedOut),
  );
  const judged = failed.map((each) => judge(each, written));
  const worst = ORDER.map((each) => judged.find((one) => one.class === each)).find(Boolean);
  if (worst === undefined) return classified('verification', 'A command failed.');
  const others = failed.length > 1 ? ` (and ${failed.length - 1} more)` : '';
  const [how = '', ...detail] = worst.error.split('\n');
  const error = [`${how}${others}`, ...detail].join('\n');
  return kind === 'setup' ? classified('setup', `Setup: ${error}`) : classified(worst.class, error);
}

/** Not of a job: the server did not answer, or said that it cannot right now. */
const SERVER_CODES: readonly string[] = [
  'UNREACHABLE',
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
] satisfies (ErrorCode | 'UNREACHABLE')[];

/** What was understood and declined gets the same answer again. */
const CLASS_OF: Record<FailureCause, FailureClass> = {
  provider: 'infrastructure',
  server: 'infrastructure',
  time: 'timeout',
  budget: 'budget',
  request: 'refused',
  answer: 'refused',
};

function callClass(code: string, status: number | undefined): FailureClass {
  if (code === 'OVER_BUDGET') return 'budget';
  if (SERVER_CODES.includes(code)) return 'infrastructure';
  const known = failureOf(code);
  if (known) return CLASS_OF[known.cause];
  if (status === 408 || status === 429 || (status !== undefined && status >= 500)) {
    return 'infrastructure';
  }
  return 'refused';
}

const MISSED_EDITS = new Set(['NO_MATCH', 'AMBIGUOUS', 'UNCLEAR', 'STALE', 'OVERLAP', 'DROPPED']);

export function classifyFailure(failure: StreamFailure): Classified {
  switch (failure.kind) {
    case 'setup':
    case 'verify':
      return classifyCommands(failure);
    case 'call':
      return classified(callClass(failure.code, failure.status), cut(failure.error));
    case 'artifact': {
      const isEdit = failure.codes.some((code) => MISSED_EDITS.has(code));
      return classified(isEdit ? 'edit' : 'answer', cut(failure.error));
    }
    case 'answer':
      return classified('answer', cut(failure.error));
    case 'review':
      return classified('review', failure.error);
    case 'cut_off':
      return classified('cut-off', cutOffText(failure.cut));
    case 'disk':
      return classified('refused', cut(failure.error));
    case 'timeout':
      return classified('timeout', cut(failure.error));
  }
}
