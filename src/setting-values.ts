// Kinds of values that several settings have.
import { z } from 'zod';

/** Both ways of saying it are common. */
export const onOff = z
  .enum(['on', 'off', 'true', 'false'])
  .transform((text) => text === 'on' || text === 'true');

export const count = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

const EITHER = new Intl.ListFormat('en', { type: 'disjunction' });

/** In the words of an operator; the library's own would do for a program. */
export function whyRefused(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_value'
    ? `must be ${EITHER.format(issue.values.map(String))}`
    : issue.message;
}
