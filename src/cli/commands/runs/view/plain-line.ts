// One event as a line of text, for logs and screens that cannot be redrawn.
import { plusEstimate } from '../../../../domain/run/estimate-text.ts';
import type { RunEvent, Tokens } from '../../../../contract/run-events.ts';
import { plain } from '../../../terminal/plain-text.ts';
import {
  countOf,
  showElapsed,
  showTokens,
  showTotalCost,
  showUsd,
  sumTokens,
} from '../../../terminal/figures.ts';
import { followUpText } from './follow-up-text.ts';
import { waitText } from './wait-text.ts';
import { outcomeOf, sandboxNote } from '../../../../domain/run/command-end.ts';
import { rungText } from '../../../../domain/run/projection.ts';
import { reviewText } from '../../../../domain/run/review-text.ts';
import { WITHOUT_SANDBOX } from '../../../../domain/run/without-sandbox.ts';

const WORD = 11;
const MOST_FILES = 4;

function line(word: string, stream: string, rest = ''): string {
  return `${word.padEnd(WORD)} ${plain(stream)}${rest === '' ? '' : `  ${rest}`}`;
}

function usage(tokens: Tokens, cost: string, durationMs: number): string {
  return [`${showTokens(sumTokens(tokens))} tok`, cost, showElapsed(durationMs)].join('  ');
}

function filesOf(paths: readonly string[]): string {
  const shown = paths.slice(0, MOST_FILES).map(plain).join(', ');
  const more = paths.length - MOST_FILES;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function because({ to, cause }: { to: string; cause: string }): string {
  if (to === 'blocked') return `by ${plain(cause)}`;
  return to === 'complete' ? `fixed by ${plain(cause)}` : `because of ${plain(cause)}`;
}

/** Undefined for what is not worth a line. */
export function plainLine(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run.started': {
      const { runId, manifest, streams, model, simulated, resumed, sandbox, branch } = event;
      const without = event.agentsWithoutSandbox ? `, ${WITHOUT_SANDBOX}` : '';
      const verb = resumed ? 'resumed' : 'started';
      const note = simulated ? ' (simulated)' : '';
      const place = sandbox === undefined ? '' : ', commands in the sandbox';
      const on = branch === undefined ? '' : `, on ${plain(branch.name)}`;
      const count = countOf(streams.length, 'stream');
      const where = `${note}${place}${without}${on}`;
      return line(verb, runId, `${plain(manifest)}: ${count}, ${plain(model)}${where}`);
    }
    case 'run.note':
      return `${event.level.padEnd(WORD)} ${plain(event.message)}`;
    case 'stream.started':
      return line(
        'running',
        event.stream,
        `wave ${event.wave}${event.rung ? `  ${plain(rungText(event.rung))}` : ''}`,
      );
    case 'stream.context': {
      const { stream, omitted } = event;
      if (omitted.length === 0) return undefined;
      return line(
        'left out',
        stream,
        filesOf(omitted.map(({ path, reason }) => `${path} (${reason})`)),
      );
    }
    case 'stream.applied': {
      const { files } = event;
      const added = files.reduce((sum, { additions }) => sum + additions, 0);
      const deleted = files.reduce((sum, { deletions }) => sum + deletions, 0);
      const names = filesOf(files.map(({ path }) => path)) || 'no files';
      return line('written', event.stream, `${names} (+${added} -${deleted})`);
    }
    case 'stream.rolled_back':
      return line('rolled back', event.stream, plain(event.reason));
    case 'command.started':
      return line(event.phase, event.stream, plain(event.command) + sandboxNote(event));
    case 'command.finished': {
      if (event.ok) return undefined;
      const note = event.critical ? '' : ' (not critical)';
      return line('', event.stream, `${plain(event.command)} ${outcomeOf(event)}${note}`);
    }
    case 'stream.completed':
      return line(
        'complete',
        event.stream,
        usage(
          event.tokens,
          showUsd(event.costUsd) + plusEstimate(event.estimatedUsd),
          event.durationMs,
        ),
      );
    case 'stream.failed':
      return line('failed', event.stream, plain(event.error));
    case 'stream.denied':
      return line('denied', event.stream, plain(event.error));
    case 'stream.postponed':
      return line('postponed', event.stream, plain(event.reason));
    case 'stream.fix':
      return line('fixing', event.stream, `${event.fix}, attempt ${event.attempt} of ${event.of}`);
    case 'stream.status':
      return line(event.to, event.stream, event.cause === event.stream ? '' : because(event));
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
    case 'run.paused': {
      const { tokens, durationMs } = event.totals;
      const figures = usage(tokens, showTotalCost(event.totals), durationMs);
      const reason = 'reason' in event && event.reason ? `  ${plain(event.reason)}` : '';
      return `${event.type.slice('run.'.length).padEnd(WORD)} ${figures}${reason}`;
    }
    case 'stream.waiting': {
      const until = event.until === undefined ? undefined : Date.parse(event.until);
      const { reason, detail } = event;
      return line(
        'waiting',
        event.stream,
        waitText({ reason, until, detail }, Date.parse(event.ts)),
      );
    }
    case 'stream.call':
      if (event.call === 1 || event.turn !== undefined) return undefined;
      return line('re-asked', event.stream, followUpText(event.asks ?? 'again'));
    case 'stream.cached':
      return line(
        'cached',
        event.stream,
        `saved ${event.savedUsd === null ? 'a call' : showUsd(event.savedUsd)}`,
      );
    case 'agent.session':
      return event.continued
        ? line('continues', event.stream, 'the session of the attempt before')
        : line('new session', event.stream, plain(event.why ?? ''));
    case 'agent.turn': {
      const { turn, ok, error = '' } = event;
      return ok
        ? line('turn', event.stream, String(turn))
        : line('turn', event.stream, plain(`${turn} failed: ${error}`));
    }
    case 'agent.tool':
      return line('tool', event.stream, plain(`${event.name} ${event.argument}`.trim()));
    case 'agent.refused':
      return line('refused', event.stream, plain(`${event.subject}: ${event.why}`));
    case 'agent.message':
      return line('says', event.stream, plain(event.text.split('\n', 1)[0]!));
    case 'stream.committed':
      return line('committed', event.stream, event.commit.slice(0, 10));
    case 'agent.thought':
      return line('thinks', event.stream, plain(event.text.split('\n', 1)[0]!));
    case 'agent.changed': {
      const outside = event.outside > 0 ? `, ${event.outside} outside of what it owns` : '';
      const counts = `+${event.additions} -${event.deletions}`;
      return line('changed', event.stream, `${countOf(event.files, 'file')} ${counts}${outside}`);
    }
    case 'run.reverted':
      return `${'reverted'.padEnd(WORD)} ${countOf(event.files.length, 'file')}`;
    case 'run.reviewed':
      return `${'reviewed'.padEnd(WORD)} ${plain(reviewText(event))}`;
    case 'stream.job':
    case 'stream.progress':
    case 'stream.answer':
      return undefined;
    default:
      // Of a newer version.
      return undefined;
  }
}
