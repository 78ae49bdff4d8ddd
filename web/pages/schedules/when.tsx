import type { Schedule } from '../../../src/contract/schedule-api.ts';
import { formatRelative } from '../../ui/format.ts';
import { useNow } from '../../ui/time.tsx';
import { cronText, everyText, shownTime } from './when-text.ts';

export function When({
  schedule,
}: {
  schedule: Pick<Schedule, 'cron' | 'timeZone' | 'everySeconds'>;
}) {
  const { cron, timeZone, everySeconds } = schedule;
  if (cron === null) return everyText(everySeconds ?? 0);
  const words = cronText(cron);
  return (
    <>
      {words === undefined ? <code className="text-xs">{cron}</code> : <span>{words}</span>}
      <span className="block text-xs font-normal text-soft">{timeZone}</span>
    </>
  );
}

/** How far away it is, and what the clocks of its place show then. */
export function NextTime({ time, timeZone }: { time: string; timeZone: string | null }) {
  const now = useNow();
  return (
    <time dateTime={new Date(time).toISOString()}>
      <span className="font-medium">{formatRelative(Date.parse(time), now)}</span>{' '}
      <span className="text-xs font-normal text-soft tabular">{shownTime(time, timeZone)}</span>
    </time>
  );
}

export function NextTimes({
  label,
  times,
  timeZone,
}: {
  label: string;
  times: readonly string[];
  timeZone: string | null;
}) {
  return (
    <ol aria-label={label} className="flex flex-col gap-1 text-sm">
      {times.map((time) => (
        <li key={time}>
          <NextTime time={time} timeZone={timeZone} />
        </li>
      ))}
    </ol>
  );
}
