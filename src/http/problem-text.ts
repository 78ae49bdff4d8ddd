// What is wrong with a field, as the second half of a sentence that starts with its name. Schemas that
// say it themselves (a pattern, a check of our own) keep their words.
import type { z } from 'zod';

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const UNITS: Record<string, readonly [string, string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

function boundText(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall>) {
  const isUpper = issue.code === 'too_big';
  const bound = Number(isUpper ? issue.maximum : issue.minimum);
  const units = UNITS[issue.origin];
  if (units !== undefined) {
    if (!isUpper && bound === 1) return 'must not be empty';
    return `must have at ${isUpper ? 'most' : 'least'} ${bound} ${units[bound === 1 ? 0 : 1]}`;
  }
  if (issue.inclusive === false) return `must be ${isUpper ? 'less' : 'greater'} than ${bound}`;
  return `must be at ${isUpper ? 'most' : 'least'} ${bound}`;
}

export function problemText(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value': {
      if (issue.input === undefined) return 'is required';
      const values = issue.values.map(String);
      return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
    }
    case 'too_big':
    case 'too_small':
      return boundText(issue);
    case 'invalid_format':
      return issue.format === 'datetime'
        ? 'must be a time such as 2026-01-31T12:00:00Z'
        : `must be a valid ${issue.format === 'url' ? 'URL' : issue.format}`;
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
      return 'is invalid';
    case 'custom':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return undefined;
  }
}
