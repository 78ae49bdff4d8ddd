// Why jobs wait, on the whole server.
import type { SystemState } from '../../../src/contract/system-api.ts';
import { plural } from '../../ui/format.ts';
import { Card, CardHead } from '../../ui/surface.tsx';

type Wait = SystemState['waits'][number];

const REASONS: Readonly<Record<Wait['reason'], string>> = {
  rate_limited: 'The provider is rate limiting them',
  key_paused: 'Their provider key is paused after the provider turned a call away',
  retry: 'A call failed and will be retried',
  concurrency: 'The plans of their teams allow no more jobs at once',
};

export function Waits({ waits }: Pick<SystemState, 'waits'>) {
  return (
    <Card>
      <CardHead title="Why jobs wait" />
      {waits.length === 0 ? (
        <p className="p-4 text-sm text-soft">No job waits for a provider or a cap.</p>
      ) : (
        <ul className="divide-y divide-line">
          {waits.map(({ reason, provider, jobs, until }) => (
            <li
              key={`${reason} ${provider}`}
              className="flex flex-wrap items-baseline gap-x-3 px-4 py-2.5 text-sm"
            >
              <span className="font-medium tabular">
                {plural(jobs, 'job')} of {provider}
              </span>
              <span className="text-soft">
                {REASONS[reason]}
                {until === null
                  ? ''
                  : `, until ${new Date(until).toLocaleTimeString()} at the latest`}
                .
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
