// A schedule and its log in lines.
import type { Schedule, ScheduleFiring } from '../../../client/index.ts';
import { countOf, showUsd } from '../../terminal/figures.ts';
import { localTime } from '../../terminal/local-time.ts';
import { plain } from '../../terminal/plain-text.ts';
import { reasonText } from '../start-rules/reason-text.ts';

export function timesText({ cron, timeZone, everySeconds }: Schedule): string {
  return everySeconds === null ? `${cron} ${timeZone}` : `every ${everySeconds} s`;
}

/** On the clock of this machine, and on the one that the schedule goes by where it shows something else. */
function nextText(at: string, timeZone: string | null): string {
  const here = localTime(at);
  if (timeZone === null) return here;
  const shape = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
  const there = new Intl.DateTimeFormat('sv-SE', shape).format(new Date(at));
  return there === here ? here : `${here}  (${there} in ${timeZone})`;
}

export function firingText(firing: ScheduleFiring): string {
  const { at, cause, result, reason, missed, cancelled, request } = firing;
  const parts = [
    localTime(at),
    result.padEnd(7),
    ...(request ? [`${request.id} ${request.status}`] : []),
    ...(reason ? [reasonText(reason)] : []),
    ...(cause === 'manual' ? ['run now'] : []),
    ...(cause === 'catch_up' ? ['late'] : []),
    ...(missed > 0 ? [`${countOf(missed, 'time')} missed`] : []),
    ...(cancelled > 0 ? [`${countOf(cancelled, 'earlier run')} cancelled`] : []),
  ];
  return parts.join('  ');
}

export function scheduleText(schedule: Schedule): string {
  const { id, name, work, status, pausedReason, next, timeZone, owner, lastFiring } = schedule;
  const { budgetUsdPerMonth, spentUsdThisMonth, overlap, catchUp, pauseAfterFailures } = schedule;
  const what = work.task ?? (work.manifest && 'path' in work.manifest ? work.manifest.path : '');
  const budget = budgetUsdPerMonth === null ? 'no limit' : `of ${showUsd(budgetUsdPerMonth)}`;
  const lines: [string, string][] = [
    ['Times', timesText(schedule)],
    ['Status', pausedReason ? `${status}: ${reasonText(pausedReason)}` : status],
    ['Project', work.project],
    ['Runs', plain(what.split('\n', 1)[0]!.slice(0, 200))],
    ['Owner', owner.email],
    ['Spent', `${showUsd(spentUsdThisMonth)} this month, ${budget}`],
    [
      'Rules',
      `overlap ${overlap}, catch up ${catchUp}, pause after ${pauseAfterFailures === null ? 'no number of' : pauseAfterFailures} failures`,
    ],
    ['Last', lastFiring ? firingText(lastFiring) : 'never'],
    ...next.map((at, nth): [string, string] => [nth === 0 ? 'Next' : '', nextText(at, timeZone)]),
  ];
  const rows = lines.map(([head, text]) => `  ${head.padEnd(8)} ${text}`);
  return [`${id}  ${plain(name)}`, ...rows].join('\n');
}
