import { describe, expect, it } from 'vitest';
import { JOB_ID_PATTERN, TEAM_ID_PATTERN } from '../../src/contract/fields.ts';
import { firstIdAt, newId, timeOfId, withPrefix } from '../../src/platform/ids.ts';
import { verifies } from '../support/verifies.ts';

/** Base32 as Crockford has it. */
function uuidOf(id: string): string {
  const text = id.slice(id.lastIndexOf('_') + 1);
  const digits = Array.from(text, (digit) => '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(digit));
  const hex = digits.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n).toString(16);
  return hex.padStart(32, '0').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

describe('an id', () => {
  it('is its prefix and a UUIDv7 in base32', () => {
    verifies('http.ids');
    const before = Date.now();
    const id = newId('job');
    expect(id).toMatch(JOB_ID_PATTERN);
    expect(newId('team')).toMatch(TEAM_ID_PATTERN);
    const uuid = uuidOf(id);
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ms = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
    expect(ms).toBeGreaterThanOrEqual(before);
  });

  it('is greater than every id before it, however many there are in a millisecond', () => {
    verifies('http.ids');
    // More than the 4096 places of a millisecond.
    const now = Date.now();
    const ids = Array.from({ length: 20_000 }, () => newId('job', now));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('does not go back when the clock does', () => {
    const now = Date.now() + 60_000;
    const ids = [now, now - 50_000, now - 1, now, now + 1].map((at) => newId('job', at));
    expect([...ids].sort()).toEqual(ids);
  });

  it('has a first one of every moment, also where there were none yet', () => {
    const now = Date.now();
    const first = ['0001-01-01', '1969-12-31', '1970-01-02', '2026-01-01', now, '9999-12-31'].map(
      (at) => firstIdAt('job', new Date(at)),
    );
    expect([...first].sort()).toEqual(first);
    expect(first[4]! <= newId('job', now)).toBe(true);
  });

  it('has the time of its UUID', () => {
    const now = Date.UTC(2026, 10, 18);
    const id = newId('x_y', now + 86_400_000);
    expect(timeOfId(id)!.getTime()).toBe(
      Number.parseInt(uuidOf(id).replace('-', '').slice(0, 12), 16),
    );
  });

  it('keeps its UUID under another prefix', () => {
    const id = newId('job');
    expect(withPrefix(id, 'run')).toBe(id.replace('job_', 'run_'));
    expect(uuidOf(withPrefix(id, 'run'))).toBe(uuidOf(id));
  });
});
