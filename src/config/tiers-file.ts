// An operator's own figures for the tiers: a JSON file, read once at the start.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { TIER_NAMES, withOwnFigures } from '../domain/job/tiers.ts';
import type { Tiers } from '../domain/job/tiers.ts';

const figure = (most: number, none = '') =>
  z
    .int(`must be a whole number${none}`)
    .min(1, `must be at least 1${none}`)
    .max(most, `must be at most ${most}`)
    .optional();

const limit = (most: number) => figure(most, ', or null for no limit').nullable();

const OwnTier = z.strictObject({
  label: z.string().trim().min(1, 'must not be empty').max(50).optional(),
  requestsPerMinute: figure(100_000_000),
  runsPerMonth: limit(1_000_000_000),
  concurrentJobs: limit(1_000_000),
  retentionDays: limit(36_500),
});

const TiersFile = z.partialRecord(z.enum(TIER_NAMES), OwnTier);

function describe({ path, message, code, ...issue }: z.core.$ZodIssue): string {
  const at = path.join('.');
  if (code === 'unrecognized_keys' && 'keys' in issue) {
    const known = Object.keys(OwnTier.shape).join(', ');
    if (at === '') return `"${issue.keys[0]}" is not a tier (${TIER_NAMES.join(', ')})`;
    return `${at}.${issue.keys[0]} is not a figure of a tier (${known})`;
  }
  return at === '' ? `must be an object of tiers (${TIER_NAMES.join(', ')})` : `${at} ${message}`;
}

type TiersFileResult = { ok: true; tiers: Tiers } | { ok: false; problem: string };

function readTiersFile(path: string): TiersFileResult {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read';
    return { ok: false, problem: `${why}: ${(error as Error).message}` };
  }
  const parsed = TiersFile.safeParse(value);
  if (parsed.success) return { ok: true, tiers: withOwnFigures(parsed.data) };
  return { ok: false, problem: parsed.error.issues.map(describe).join('; ') };
}

/** The path of such a file, as a value. */
export const tiersFile = z.string().transform((path, context) => {
  const read = readTiersFile(path);
  if (read.ok) return read.tiers;
  context.addIssue(read.problem);
  return z.NEVER;
});
