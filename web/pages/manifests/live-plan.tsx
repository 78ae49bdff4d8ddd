// What would run, wave by wave, as the text says it now.
import { plural } from '../../ui/format.ts';
import type { CheckedText } from './check-text.ts';

type Plan = NonNullable<CheckedText['plan']>;

/** How much it is, and what decides how long it takes. */
export function PlanSummary({ plan }: { plan: Plan }) {
  const count = plan.waves.reduce((sum, ids) => sum + ids.length, 0);
  return (
    <p className="text-sm text-soft">
      {plural(count, 'stream')} in {plural(plan.waves.length, 'wave')}.
      {plan.criticalPath.length > 1 ? (
        <>
          {' '}
          Longest chain: <span className="font-mono text-xs">{plan.criticalPath.join(' > ')}</span>
        </>
      ) : null}
    </p>
  );
}

export function LivePlan({ plan }: { plan: Plan }) {
  return (
    <div className="flex flex-col gap-4 p-4">
      <PlanSummary plan={plan} />
      <ol className="flex flex-col gap-4">
        {plan.waves.map((streams, index) => (
          <li key={index}>
            <h3 className="mb-1.5 text-xs font-medium text-faint">Wave {index + 1}</h3>
            <ul className="flex flex-col gap-1.5">
              {streams.map((stream) => (
                <li
                  key={stream.id}
                  className="rounded-lg border border-line bg-canvas px-3 py-2 text-sm"
                >
                  <div className="flex flex-wrap items-baseline gap-x-2">
                    <span className="font-medium">{stream.name}</span>
                    <span className="font-mono text-2xs text-faint">{stream.id}</span>
                  </div>
                  {stream.owns.length > 0 ? (
                    <div className="truncate font-mono text-2xs text-soft">
                      writes {stream.owns.join(', ')}
                    </div>
                  ) : null}
                  {stream.isMoved ? <p className="mt-1 text-xs text-warn">{stream.why}</p> : null}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </div>
  );
}
