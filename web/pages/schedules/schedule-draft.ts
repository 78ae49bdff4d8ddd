// What is typed into the form of a schedule, and what is sent of it.
import type { NewSchedule, Schedule, ScheduleChange } from '../../../src/contract/schedule-api.ts';
import {
  LEAST_EVERY_S,
  MOST_EVERY_S,
  checkCron,
  nextTimes,
} from '../../../src/domain/schedule/next-time.ts';
import type { Times } from '../../../src/domain/schedule/next-time.ts';
import { EMPTY, draftOf, isFilled, workOf } from '../requests/request-draft.ts';
import type { RequestDraft } from '../requests/request-draft.ts';
import { changedRules, isSame, newRules, rulesDraftOf, rulesOf } from '../starts/rules-draft.ts';
import type { RulesDraft } from '../starts/rules-draft.ts';

export const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
export type Unit = keyof typeof UNITS;

export interface TimesDraft {
  kind: 'cron' | 'every';
  cron: string;
  timeZone: string;
  count: string;
  unit: Unit;
}

export interface ScheduleDraft {
  name: string;
  times: TimesDraft;
  catchUp: Schedule['catchUp'];
  rules: RulesDraft;
  work: RequestDraft;
}

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function newDraft(project: string): ScheduleDraft {
  return {
    name: '',
    times: { kind: 'cron', cron: '0 9 * * *', timeZone: browserZone(), count: '6', unit: 'hours' },
    catchUp: 'once',
    rules: newRules('skip'),
    work: { ...EMPTY, project },
  };
}

function everyDraft(seconds: number): Pick<TimesDraft, 'count' | 'unit'> {
  const units = Object.entries(UNITS) as [Unit, number][];
  const [unit, size] = units.findLast(([, each]) => seconds % each === 0)!;
  return { count: String(seconds / size), unit };
}

export function scheduleDraftOf(schedule: Schedule): ScheduleDraft {
  const { name, cron, timeZone, everySeconds, catchUp, work } = schedule;
  return {
    name,
    times: {
      kind: cron === null ? 'every' : 'cron',
      cron: cron ?? '0 9 * * *',
      timeZone: timeZone ?? browserZone(),
      ...everyDraft(everySeconds ?? 6 * 3600),
    },
    catchUp,
    rules: rulesDraftOf(schedule),
    work: draftOf(work),
  };
}

export const everySecondsOf = ({ count, unit }: TimesDraft): number => Number(count) * UNITS[unit];

const timesOf = (times: TimesDraft) =>
  times.kind === 'cron'
    ? { cron: times.cron, timeZone: times.timeZone.trim() || 'UTC' }
    : { everySeconds: everySecondsOf(times) };

export function scheduleOf({ name, times, catchUp, rules, work }: ScheduleDraft): NewSchedule {
  return { name, ...timesOf(times), catchUp, ...rulesOf(rules), work: workOf(work, undefined) };
}

/** Only what differs: what others have changed meanwhile stays, and so does the owner while the work does. */
export function scheduleChange(
  draft: ScheduleDraft,
  first: ScheduleDraft,
  before: Schedule,
): ScheduleChange {
  return {
    ...(draft.name === first.name ? {} : { name: draft.name }),
    ...(isSame(draft.times, first.times) ? {} : timesOf(draft.times)),
    ...(draft.catchUp === first.catchUp ? {} : { catchUp: draft.catchUp }),
    ...changedRules(draft.rules, first.rules),
    ...(isSame(draft.work, first.work) ? {} : { work: workOf(draft.work, before.work) }),
  };
}

export type Preview =
  | { kind: 'times'; times: string[]; timeZone: string | null }
  | { kind: 'wrong'; field: 'cron' | 'timeZone' | 'everySeconds'; reason: string };

const SHOWN = 5;

/** As the server computes them. `from`: what intervals are counted from. */
export function previewOf(draft: TimesDraft, now: Date, from: Date): Preview {
  const shown = (times: Times, timeZone: string | null): Preview => ({
    kind: 'times',
    times: nextTimes(times, now, SHOWN).map((at) => at.toISOString()),
    timeZone,
  });
  const wrong = (field: 'cron' | 'timeZone' | 'everySeconds', reason: string): Preview => ({
    kind: 'wrong',
    field,
    reason,
  });
  if (draft.kind === 'every') {
    const everySeconds = everySecondsOf(draft);
    return Number.isInteger(everySeconds) &&
      everySeconds >= LEAST_EVERY_S &&
      everySeconds <= MOST_EVERY_S
      ? shown({ kind: 'every', everySeconds, from }, null)
      : wrong('everySeconds', 'Must be from one minute to 366 days, in whole seconds');
  }
  const timeZone = draft.timeZone.trim() || 'UTC';
  const check = checkCron(draft.cron, timeZone, now);
  if (check.kind === 'refused') return wrong(check.field, sentence(check.reason));
  return shown({ kind: 'cron', cron: check.cron, timeZone }, timeZone);
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const isComplete = ({ name, work }: ScheduleDraft): boolean =>
  name.trim() !== '' && isFilled(work);
