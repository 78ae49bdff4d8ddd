// The last runs at a glance: height is time, colour is how they ended.
import { Link } from '@tanstack/react-router';
import type { RunSummary } from '../../../src/contract/history-api.ts';
import { formatDuration, plural } from '../../ui/format.ts';
import { lookOf } from '../../ui/status.tsx';

const MOST = 30;
const HEIGHT = 44;
const LOWEST = 6;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export function RunBars({ runs }: { runs: readonly RunSummary[] }) {
  if (runs.length < 3) return null;
  const shown = runs.slice(0, MOST).toReversed();
  const longest = Math.max(1, ...shown.map(({ durationMs }) => durationMs));
  const ended = shown.filter(({ status }) => status === 'complete' || status === 'failed');
  const good = ended.filter(({ status }) => status === 'complete').length;
  return (
    <section
      aria-label="Recent runs"
      className="mb-4 flex flex-wrap items-center justify-between gap-x-8 gap-y-3 rounded-xl border border-line bg-surface px-4 py-3 shadow-card"
    >
      <dl className="flex gap-8 text-sm">
        <div>
          <dt className="text-xs text-faint">Succeeded</dt>
          <dd className="font-semibold tabular">
            {ended.length === 0 ? '-' : `${Math.round((100 * good) / ended.length)}%`}
          </dd>
        </div>
        <div>
          <dt className="text-xs text-faint">Usual time</dt>
          <dd className="font-semibold tabular">
            {formatDuration(median(ended.map(({ durationMs }) => durationMs)))}
          </dd>
        </div>
        <div>
          <dt className="text-xs text-faint">Shown</dt>
          <dd className="font-semibold">{plural(shown.length, 'run')}</dd>
        </div>
      </dl>
      <ol className="flex items-end gap-1" style={{ height: HEIGHT }}>
        {shown.map((run) => {
          const { word, fill } = lookOf(run.status);
          const text = `${run.feature}: ${word}, ${formatDuration(run.durationMs)}`;
          // The root: a run of an hour must not make all others look like nothing.
          const height = LOWEST + (HEIGHT - LOWEST) * Math.sqrt(run.durationMs / longest);
          return (
            <li key={run.id}>
              <Link
                to="/runs/$runId"
                params={{ runId: run.id }}
                aria-label={text}
                title={text}
                className="block w-2 rounded-sm transition-opacity hover:opacity-70"
                style={{ height, background: fill }}
              />
            </li>
          );
        })}
      </ol>
    </section>
  );
}
