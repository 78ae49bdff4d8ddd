import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { checkCron, nextTime, nextTimes, normalCron } from '../../src/domain/schedule/next-time.ts';
import { decideDue } from '../../src/domain/schedule/due.ts';
import { wallTimeOf } from '../../src/domain/schedule/wall-clock.ts';
import { verifies } from '../support/verifies.ts';

const at = (text: string) => new Date(text);
const cron = (pattern: string, timeZone: string) => ({
  kind: 'cron' as const,
  cron: pattern,
  timeZone,
});

function times(pattern: string, timeZone: string, after: string, count: number): string[] {
  return nextTimes(cron(pattern, timeZone), at(after), count).map((one) => one.toISOString());
}

describe('where clocks are put forward', () => {
  it.each([
    // 02:00 to 03:00 do not exist.
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:30'],
    ],
    [
      '0,30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:00', '2026-03-30T00:30'],
    ],
    [
      '0 1-3 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T00:00', '2026-03-29T01:00', '2026-03-29T23:00'],
    ],
    [
      '30 2 * * *',
      'America/New_York',
      '2026-03-07T12:00:00Z',
      ['2026-03-08T07:00', '2026-03-09T06:30'],
    ],
    // Half an hour: 02:00 to 02:30 do not exist.
    [
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-02T16:00:00Z',
      ['2026-10-03T15:30', '2026-10-04T15:15'],
    ],
    [
      '45 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-02T17:00:00Z',
      ['2026-10-03T15:45', '2026-10-04T15:45'],
    ],
  ])(
    '%s in %s is due once, at the first moment after the gap',
    (pattern, zone, after, expected) => {
      verifies('schedules.daylight-saving');
      const found = times(pattern, zone, after, expected.length);
      expect(found).toEqual(expected.map((one) => `${one}:00.000Z`));
    },
  );

  it.each([
    ['*/15 * * * *', 'Europe/Berlin', '2026-03-29T00:40:00Z', ['00:45', '01:00', '01:15', '01:30']],
    ['*/15 * * * *', 'America/New_York', '2026-03-08T06:40:00Z', ['06:45', '07:00', '07:15']],
    ['*/15 * * * *', 'Australia/Lord_Howe', '2026-10-03T15:10:00Z', ['15:15', '15:30', '15:45']],
    ['0 * * * *', 'Europe/Berlin', '2026-03-28T23:30:00Z', ['00:00', '01:00', '02:00', '03:00']],
  ])('%s in %s runs through', (pattern, zone, after, expected) => {
    verifies('schedules.daylight-saving');
    const found = times(pattern, zone, after, expected.length);
    expect(found.map((one) => one.slice(11, 16))).toEqual(expected);
  });
});

describe('where clocks are put back', () => {
  it.each([
    // 02:00 to 03:00 exist twice.
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    [
      '0,30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-26T01:00'],
    ],
    [
      '30 1 * * *',
      'America/New_York',
      '2026-10-31T12:00:00Z',
      ['2026-11-01T05:30', '2026-11-02T06:30'],
    ],
    // Half an hour: 01:30 to 02:00 exist twice.
    [
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T12:00:00Z',
      ['2026-04-04T14:45', '2026-04-05T15:15'],
    ],
    [
      '10 2 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T12:00:00Z',
      ['2026-04-04T15:40', '2026-04-05T15:40'],
    ],
  ])('%s in %s is due once, the first time', (pattern, zone, after, expected) => {
    verifies('schedules.daylight-saving');
    const found = times(pattern, zone, after, expected.length);
    expect(found).toEqual(expected.map((one) => `${one}:00.000Z`));
  });

  it.each([
    ['*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:10:00Z', ['00:30', '01:00', '01:30', '02:00']],
    [
      '*/30 * * * *',
      'America/New_York',
      '2026-11-01T05:10:00Z',
      ['05:30', '06:00', '06:30', '07:00'],
    ],
    [
      '*/10 1-2 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T14:45:00Z',
      ['14:50', '15:00', '15:10', '15:20', '15:30'],
    ],
  ])('%s in %s runs through', (pattern, zone, after, expected) => {
    verifies('schedules.daylight-saving');
    const found = times(pattern, zone, after, expected.length);
    expect(found.map((one) => one.slice(11, 16))).toEqual(expected);
  });
});

it('every day of ten years has exactly one start of a daily pattern, in every zone with a change', () => {
  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Cairo',
    'Asia/Kathmandu',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
      fc.integer({ min: 0, max: 3650 }),
      (zone, hour, minute, day) => {
        const start = new Date(Date.UTC(2024, 0, 1 + day, 12));
        const found = nextTimes(cron(`${minute} ${hour} * * *`, zone), start, 40);
        const days = found.map((one) => wallTimeOf(one, zone).toISOString().slice(0, 10));
        const whole = days.map((_, nth) =>
          new Date(Date.parse(days[0]!) + nth * 86_400_000).toISOString().slice(0, 10),
        );
        // A gap at midnight moves a start into the next hour, never into the next day.
        expect(days).toEqual(whole);
      },
    ),
    { numRuns: 200 },
  );
});

it('intervals are counted from their beginning, however late a start was', () => {
  const times = { kind: 'every' as const, everySeconds: 600, from: at('2026-11-19T12:00:00Z') };
  expect(nextTime(times, at('2026-11-19T12:00:00Z'))).toEqual(at('2026-11-19T12:10:00Z'));
  expect(nextTime(times, at('2026-11-19T12:19:59Z'))).toEqual(at('2026-11-19T12:20:00Z'));
  expect(nextTime(times, at('2026-11-19T11:00:00Z'))).toEqual(at('2026-11-19T12:10:00Z'));
});

describe('a pattern', () => {
  it.each([
    ['0 9 * * 1-5', '0 9 * * 1-5'],
    ['  0   9 * * mon-fri ', '0 9 * * mon-fri'],
    ['@daily', '0 0 * * *'],
    ['0 0 29 2 *', '0 0 29 2 *'],
  ])('%s is taken', (text, expected) => {
    expect(checkCron(text, 'UTC', at('2026-11-19T12:00:00Z'))).toEqual({
      kind: 'ok',
      cron: expected,
    });
  });

  it.each([
    ['0 0 30 2 *', 'is never due'],
    ['0 0 31 4,6,9,11 *', 'is never due'],
    ['* * * * * *', 'must have five fields'],
    ['2026-12-01T00:00:00', 'must have five fields'],
    ['every day', 'must have five fields'],
    ['', 'must have five fields'],
    ['0 9 * *\n*', 'must have five fields'],
    ['61 9 * * *', 'Invalid value for minute: 61'],
    ['0 9 * * 8', 'Invalid value for dayOfWeek: 8'],
    ['0 25 * * *', 'is not a cron pattern'],
    ['*/0 * * * *', 'is not a cron pattern'],
    ['5-1 * * * *', 'is not a cron pattern'],
    ['H 9 * * *', 'is not a cron pattern'],
    ['0 9 * * \u0130', 'must have five fields'],
  ])('%j is refused: %s', (text, reason) => {
    verifies('schedules.cron');
    const check = checkCron(text, 'UTC', at('2026-11-19T12:00:00Z'));
    expect(check).toMatchObject({ kind: 'refused', field: 'cron' });
    expect(check.kind === 'refused' && check.reason).toContain(reason);
  });

  it.each(['Mars/Olympus', '', '+01:00', 'Europe/Berlin\u0000', '../UTC'])(
    'is refused for the time zone %j',
    (zone) => {
      const check = checkCron('0 9 * * *', zone, at('2026-11-19T12:00:00Z'));
      expect(check).toMatchObject({ kind: 'refused', field: 'timeZone' });
    },
  );

  it('of any text is taken or refused, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        normalCron(text);
        checkCron(text, 'UTC', at('2026-11-19T12:00:00Z'));
      }),
      { numRuns: 300 },
    );
    const part = fc.stringMatching(/^[0-9*,/L#?-]{1,6}$/);
    fc.assert(
      fc.property(fc.tuple(part, part, part, part, part), (fields) => {
        const check = checkCron(fields.join(' '), 'America/New_York', at('2026-11-19T12:00:00Z'));
        if (check.kind !== 'ok') return;
        const after = at('2026-11-19T12:00:00Z');
        expect(nextTime(cron(check.cron, 'America/New_York'), after)! > after).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a schedule that is due', () => {
  const hourly = cron('0 * * * *', 'UTC');
  const due = (dueAt: string, now: string, catchUp: 'none' | 'once') =>
    decideDue(hourly, { dueAt: at(dueAt), now: at(now), catchUp });

  it('starts when it is looked at in time, whatever its rule', () => {
    for (const catchUp of ['none', 'once'] as const) {
      expect(due('2026-11-19T12:00:00Z', '2026-11-19T12:00:07Z', catchUp)).toEqual({
        kind: 'start',
        cause: 'time',
        dueAt: at('2026-11-19T12:00:00Z'),
        missed: 0,
        nextAt: at('2026-11-19T13:00:00Z'),
      });
    }
  });

  it('after three missed times starts once or not at all, and says what it missed', () => {
    verifies('schedules.catch-up');
    const expected = { dueAt: at('2026-11-19T14:00:00Z'), nextAt: at('2026-11-19T15:00:00Z') };
    expect(due('2026-11-19T12:00:00Z', '2026-11-19T14:30:00Z', 'once')).toEqual({
      kind: 'start',
      cause: 'catch_up',
      missed: 2,
      ...expected,
    });
    expect(due('2026-11-19T12:00:00Z', '2026-11-19T14:30:00Z', 'none')).toEqual({
      kind: 'missed',
      missed: 3,
      ...expected,
    });
  });

  it.each(['* * * * *', '0-59 0-23 * * *'])('is counted also after years: %s', (pattern) => {
    const minutes = cron(pattern, 'Europe/Berlin');
    const now = at('2026-11-19T12:00:30Z');
    const found = decideDue(minutes, { dueAt: at('2016-01-01T00:00:00Z'), now, catchUp: 'none' });
    expect(found.missed).toBeGreaterThanOrEqual(1000);
    expect(found.dueAt).toEqual(at('2026-11-19T12:00:00Z'));
    expect(found.nextAt).toEqual(at('2026-11-19T12:01:00Z'));
  });
});
