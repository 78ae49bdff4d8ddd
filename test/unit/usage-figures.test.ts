import { describe, expect, it } from 'vitest';
import { barOf } from '../../src/cli/commands/usage/usage-summary.ts';
import { csvText } from '../../src/domain/usage/csv.ts';
import { forecastUsd } from '../../src/domain/usage/forecast.ts';
import { csvDollars } from '../../src/domain/usage/usage-csv.ts';
import { roundUsd, spanOf } from '../../src/domain/usage/usage-month.ts';

const DAY = 86_400_000;

describe('a forecast', () => {
  const at = (days: number) => ({ startMs: 0, endMs: 30 * DAY, nowMs: days * DAY });

  it('follows the pace so far', () => {
    expect(forecastUsd(10, at(10))).toBe(30);
  });

  it('is not made too early, without spending or when the month is over', () => {
    expect(forecastUsd(10, at(2.9))).toBeUndefined();
    expect(forecastUsd(0, at(10))).toBeUndefined();
    expect(forecastUsd(10, at(30))).toBeUndefined();
  });
});

it('a bar shows that something is used, and is full only when everything is', () => {
  expect(barOf(0, 50)).toBe('[....................] 0%');
  expect(barOf(1, 5000)).toBe('[#...................] 0%');
  expect(barOf(4999, 5000)).toBe('[###################.] 99%');
  expect(barOf(7000, 5000)).toBe('[####################] 100%');
});

it('CSV is quoted where it must be, and runs no formula', () => {
  const texts = [
    '\uff1d1+1',
    ' =1',
    '\n=1',
    '=1+1',
    '+1',
    '-1',
    '@a',
    '\tx',
    'a,b',
    'a"b',
    'a\nb',
    'plain',
    '',
  ];
  expect(csvText([texts, [1, -2, null]])).toBe(
    `'\uff1d1+1,' =1,"'\n=1",'=1+1,'+1,'-1,'@a,'\tx,"a,b","a""b","a\nb",plain,\r\n1,-2,\r\n`,
  );
});

it('money is written without dust, exponents or invented zeros', () => {
  expect(csvDollars(0.1 + 0.2, 0)).toBe('0.3');
  expect(csvDollars(0.000_000_12, 0)).toBe('0.00000012');
  expect(csvDollars(100, 0)).toBe('100');
  expect(csvDollars(0, 0)).toBe('0');
  expect(csvDollars(0, 3)).toBeNull();
  expect(roundUsd(0.1 + 0.2)).toBe(0.3);
});

it('a month spans to the first of the next', () => {
  expect(spanOf('2026-12')).toEqual({ start: '2026-12-01', end: '2027-01-01' });
  expect(spanOf('2024-02')).toEqual({ start: '2024-02-01', end: '2024-03-01' });
});
