import { describe, expect, it } from 'vitest';
import { lockedPackages } from './lockfile.ts';

type Version = readonly [number, number, number];

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** A partial version as the range it stands for: 20 is 20.0.0 up to, but without, 21.0.0. */
function span(text: string): { from: Version; to: Version } {
  const [major, minor, patch] = text
    .split('.')
    .map((part) => (/^[x*]$/i.test(part) ? undefined : Number(part)));
  if (major === undefined) return { from: [0, 0, 0], to: [Infinity, 0, 0] };
  if (minor === undefined) return { from: [major, 0, 0], to: [major + 1, 0, 0] };
  if (patch === undefined) return { from: [major, minor, 0], to: [major, minor + 1, 0] };
  return { from: [major, minor, patch], to: [major, minor, patch + 1] };
}

function meets(version: Version, comparator: string): boolean {
  const [, operator = '', text = ''] =
    /^(>=|<=|>|<|\^|~|=)?v?(\d+(?:\.(?:\d+|x|\*)){0,2}|[*x])$/i.exec(comparator) ?? [];
  if (text === '') throw new Error(`The range "${comparator}" is written in a way not known here`);
  const { from, to } = span(text);
  const major: Version = [from[0] + 1, 0, 0];
  switch (operator) {
    case '>=':
      return compare(version, from) >= 0;
    case '>':
      return compare(version, to) >= 0;
    case '<':
      return compare(version, from) < 0;
    case '<=':
      return compare(version, to) < 0;
    case '^':
      return compare(version, from) >= 0 && compare(version, major) < 0;
    case '~': {
      const next: Version = /\./.test(text) ? [from[0], from[1] + 1, 0] : major;
      return compare(version, from) >= 0 && compare(version, next) < 0;
    }
    default:
      return compare(version, from) >= 0 && compare(version, to) < 0;
  }
}

function accepts(range: string, version: Version): boolean {
  return range.split('||').some((alternative) => {
    const comparators = alternative.trim().replace(/(>=|<=|>|<|\^|~|=)\s+/g, '$1');
    const all = comparators === '' ? ['*'] : comparators.split(/\s+/);
    return all.every((comparator) => meets(version, comparator));
  });
}

/** Both ends of the pinned major: what is installed today, and any later patch of it. */
const PINNED: Version[] = [
  [24, 0, 0],
  [24, 99, 0],
];

it('installs only packages that accept the pinned Node 24', () => {
  const refusing = lockedPackages()
    .map(([place, { engines }]) => ({
      place,
      range: Array.isArray(engines) ? '*' : (engines?.node ?? '*'),
    }))
    .filter(({ range }) => !PINNED.every((version) => accepts(range, version)));
  expect(refusing).toEqual([]);
});

describe('the range check', () => {
  it.each([
    ['>=22.18', true],
    ['^20.0.0 || ^22.0.0 || >=24.0.0', true],
    ['20 || >=22', true],
    ['>= 10.x', true],
    ['24', true],
    ['24.x', true],
    ['*', true],
    ['>=18 <25', true],
    ['>=18 <24', false],
    ['^20.19.0', false],
    ['20 || 22', false],
    ['>24', false],
    ['<=23', false],
    ['~24.1', false],
  ])('reads %s', (range, expected) => {
    expect(accepts(range, [24, 0, 5])).toBe(expected);
  });

  it('refuses to guess at a range it cannot read', () => {
    expect(() => accepts('lts/iron', [24, 0, 0])).toThrow('not known here');
  });
});
