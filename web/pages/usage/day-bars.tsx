// A month day by day. The same figures are in the table by day.
import type { UsageDay } from '../../../src/contract/usage-api.ts';
import type { Measure } from './measure.ts';

function dayName(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString('en', {
    timeZone: 'UTC',
    weekday: 'short',
    month: 'short',
    day: 'numeric',
  });
}

/** A little is not nothing: it keeps a sliver. */
function heightOf(value: number, highest: number): string {
  return value === 0 ? '0' : `max(3px, ${(100 * value) / highest}%)`;
}

export function DayBars({ days, measure }: { days: readonly UsageDay[]; measure: Measure }) {
  const highest = Math.max(...days.map(measure.of), 0);
  const label = `${measure.label} by day, at most ${measure.format(highest)} on one day`;
  return (
    <div role="img" aria-label={label} className="px-4 pt-2 pb-3">
      <div className="text-right text-2xs text-faint tabular">
        {highest === 0 ? 'Nothing yet' : measure.format(highest)}
      </div>
      <div className="flex h-44 border-t border-b border-t-line border-b-line-strong [border-top-style:dashed]">
        {days.map((day) => (
          <div
            key={day.date}
            title={`${dayName(day.date)}: ${measure.format(measure.of(day))}`}
            className="flex min-w-0 flex-1 items-end px-px hover:bg-hover sm:px-1"
          >
            <div
              className="w-full rounded-t-[3px] bg-accent"
              style={{ height: heightOf(measure.of(day), highest) }}
            />
          </div>
        ))}
      </div>
      <div className="flex pt-1 text-2xs text-faint tabular">
        {days.map(({ date }, index) => (
          <div key={date} className="min-w-0 flex-1 text-center">
            {index % 7 === 0 ? Number(date.slice(8)) : ''}
          </div>
        ))}
      </div>
    </div>
  );
}
