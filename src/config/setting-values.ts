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

/** In the words of an operator; the library's own would do for a program. */
export function whyRefused(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_value') return issue.message;
  // Made when there is something to say: loading a language takes longer than reading all settings.
  const either = new Intl.ListFormat('en', { type: 'disjunction' });
  return `must be ${either.format(issue.values.map(String))}`;
}
