// The commands of a stream: how each ended, how long it took, what it printed.
import { ListChecks } from '../../../ui/icons.tsx';
import { outcomeOf } from '../../../../src/domain/run/command-end.ts';
import { formatDuration } from '../../../ui/format.ts';
import { StatusIcon, lookOf } from '../../../ui/status.tsx';
import { EmptyState } from '../../../ui/surface.tsx';
import type { StreamCheck } from './stream-calls.ts';

function statusOf({ result }: StreamCheck): string {
  if (result === undefined) return 'in_progress';
  return result.ok ? 'complete' : 'failed';
}

export function ChecksTab({ checks }: { checks: readonly StreamCheck[] }) {
  if (checks.length === 0) {
    return (
      <EmptyState icon={<ListChecks />} title="No commands">
        Commands under setup and verify show up here when they run.
      </EmptyState>
    );
  }
  return (
    <ol className="flex flex-col gap-2">
      {checks.map((check) => {
        const status = statusOf(check);
        const { result } = check;
        return (
          <li key={check.seq} className="overflow-hidden rounded-lg border border-line">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-2 text-xs">
              <StatusIcon status={status} />
              <span className="sr-only">{lookOf(status).word}: </span>
              <span className="text-faint">{check.phase}</span>
              <code className="min-w-0 [overflow-wrap:anywhere]">{check.command}</code>
              <span className="ml-auto text-soft tabular">
                {result === undefined
                  ? 'running'
                  : `${outcomeOf(result)}, ${formatDuration(result.durationMs)}`}
              </span>
            </div>
            {result?.output ? (
              <pre
                tabIndex={0}
                aria-label={`Output of ${check.command}`}
                className="max-h-80 overflow-auto border-t border-line bg-sunken p-3 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
              >
                {result.output}
              </pre>
            ) : result ? (
              <p className="border-t border-line px-3 py-1.5 text-2xs text-faint">
                No output kept{result.ok ? ': it passed' : ''}
              </p>
            ) : null}
          </li>
        );
      })}
    </ol>
  );
}
