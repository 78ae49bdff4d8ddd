// An event of a run as a line that a person reads.
import { plusEstimate } from '../../../../src/domain/run/estimate-text.ts';
import type { RunEvent } from '../../../../src/contract/run-events.ts';
import { outcomeOf, sandboxNote } from '../../../../src/domain/run/command-end.ts';
import { rungText } from '../../../../src/domain/run/projection.ts';
import { reviewText } from '../../../../src/domain/run/review-text.ts';
import { WITHOUT_SANDBOX } from '../../../../src/domain/run/without-sandbox.ts';
import { formatCount, formatDollars, formatDuration, plural } from '../../../ui/format.ts';
import { waitReasonText } from '../waiting-text.ts';

export type Level = 'info' | 'warning' | 'error';

export interface LogLine {
  seq: number;
  at: number;
  level: Level;
  stream: string | undefined;
  word: string;
  text: string;
  /** What a command printed. */
  output: string | undefined;
}

type Told = readonly [word: string, text: string, level?: Level, output?: string | undefined];

const price = (usd: number | null) => (usd === null ? 'price unknown' : formatDollars(usd));
const usage = (tokens: { input: number; output: number }) =>
  `${formatCount(tokens.input)} tokens in, ${formatCount(tokens.output)} out`;
const filesText = (paths: readonly string[]) =>
  paths.length === 0 ? 'no files' : paths.slice(0, 4).join(', ') + more(paths.length - 4);
const more = (count: number) => (count > 0 ? ` and ${count} more` : '');

function tell(event: RunEvent): Told {
  switch (event.type) {
    case 'run.started': {
      const what = `${event.manifest}, ${plural(event.streams.length, 'stream')}`;
      const without = event.agentsWithoutSandbox ? `, ${WITHOUT_SANDBOX}` : '';
      const models = event.model || 'no model';
      return [event.resumed ? 'resumed' : 'started', `${what}, ${models}${without}`];
    }
    case 'run.note':
      return ['note', event.message, event.level === 'warning' ? 'warning' : 'info'];
    case 'stream.started':
      return [
        'started',
        `attempt ${event.attempt}${event.rung ? `, ${rungText(event.rung)}` : ''}`,
      ];
    case 'stream.context': {
      const left = event.omitted.length > 0 ? `, ${event.omitted.length} left out` : '';
      return [
        'context',
        `${plural(event.files, 'file')}, ${formatCount(event.tokens)} tokens${left}`,
      ];
    }
    case 'stream.call':
      return ['asking', `call ${event.call}`];
    case 'stream.job':
      return ['job', event.jobId];
    case 'stream.waiting':
      return ['waiting', waitReasonText(event.reason, event.detail), 'warning'];
    case 'stream.progress':
      return ['writing', `${formatCount(event.outputTokens)} tokens`];
    case 'stream.answer':
      return event.ok
        ? [
            'answered',
            `${usage(event.tokens)}, ${price(event.costUsd)}${plusEstimate(event.estimatedUsd)}`,
          ]
        : ['call failed', event.error ?? 'no answer', 'error'];
    case 'stream.cached':
      return ['reused', `an earlier answer, ${price(event.savedUsd)} saved`];
    case 'agent.session':
      return event.continued
        ? ['continues', 'the session of the attempt before']
        : ['new session', event.why ?? ''];
    case 'agent.turn': {
      const took = formatDuration(event.durationMs);
      return event.ok
        ? ['turn', `${event.turn}, ${took}`]
        : ['turn failed', event.error ?? String(event.turn), 'warning'];
    }
    case 'agent.tool':
      return ['tool', `${event.name} ${event.argument}`.trim()];
    case 'agent.refused':
      return ['refused', `${event.subject}: ${event.why}`, 'warning'];
    case 'agent.message':
      return ['says', event.text];
    case 'agent.thought':
      return ['thinks', event.text];
    case 'agent.changed': {
      const outside = event.outside > 0 ? `, ${event.outside} outside of what it owns` : '';
      const counts = `+${event.additions} -${event.deletions}`;
      return ['changed', `${plural(event.files, 'file')} ${counts}${outside}`];
    }
    case 'stream.applied':
      return ['written', filesText(event.files.map(({ path }) => path))];
    case 'stream.rolled_back':
      return ['rolled back', event.reason, 'warning'];
    case 'stream.committed':
      return ['committed', event.commit.slice(0, 10)];
    case 'command.started':
      return [event.phase, `$ ${event.command}${sandboxNote(event)}`];
    case 'command.finished': {
      const text = `$ ${event.command}`;
      const took = formatDuration(event.durationMs);
      if (event.ok) return [`${event.phase} passed`, `${text}${sandboxNote(event)}, ${took}`];
      const level = event.critical ? 'error' : 'warning';
      return [`${event.phase} failed`, `${text} ${outcomeOf(event)}, ${took}`, level, event.output];
    }
    case 'stream.completed':
      return ['complete', `${formatDuration(event.durationMs)}, ${filesText(event.files)}`];
    case 'stream.failed':
      return ['failed', event.error, 'error'];
    case 'stream.denied':
      return ['denied', event.error, 'error'];
    case 'stream.postponed':
      return ['postponed', event.reason, 'warning'];
    case 'stream.fix':
      return ['fixing', `${event.fix}, attempt ${event.attempt} of ${event.of}`, 'warning'];
    case 'stream.status': {
      const because =
        event.cause && event.cause !== event.stream ? ` because of ${event.cause}` : '';
      return [event.to, `was ${event.from}${because}`, event.to === 'blocked' ? 'warning' : 'info'];
    }
    case 'run.reverted':
      return ['reverted', plural(event.files.length, 'file'), 'warning'];
    case 'run.reviewed':
      return ['reviewed', reviewText(event)];
    case 'run.completed':
      return ['run complete', formatDuration(event.totals.durationMs)];
    case 'run.failed':
      return ['run failed', event.reason ?? formatDuration(event.totals.durationMs), 'error'];
    case 'run.cancelled':
      return ['run cancelled', event.reason ?? '', 'warning'];
    case 'run.paused':
      return ['run paused', event.reason, 'warning'];
    default:
      // Of a newer version.
      return [(event as { type: string }).type, ''];
  }
}

export function logLineOf(event: RunEvent): LogLine {
  const [word, text, level = 'info', output] = tell(event);
  const stream = 'stream' in event ? event.stream : 'about' in event ? event.about : undefined;
  return { seq: event.seq, at: Date.parse(event.ts), level, stream, word, text, output };
}

export interface LogFilter {
  text: string;
  stream: string;
  level: '' | Level;
}

const RANKS: Readonly<Record<Level, number>> = { info: 0, warning: 1, error: 2 };

/** A level lets in what is worse, too. */
export function matches(line: LogLine, { text, stream, level }: LogFilter): boolean {
  if (stream !== '' && line.stream !== stream) return false;
  if (level !== '' && RANKS[line.level] < RANKS[level]) return false;
  if (text === '') return true;
  const wanted = text.toLowerCase();
  return [line.word, line.text, line.stream ?? '', line.output ?? ''].some((part) =>
    part.toLowerCase().includes(wanted),
  );
}
