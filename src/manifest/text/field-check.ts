// Whether a single value is what its field wants; if not, what was found and what to write instead.
import { HOST_PATTERN, ID_PATTERN, TIMESTAMP_PATTERN, VERSION_PATTERN } from '../schema/field.ts';
import type { FieldType } from '../schema/field.ts';
import { isPlainFile } from '../learn/plain-path.ts';
import { readPattern } from '../patterns/pattern.ts';
import { nearestName } from './nearest.ts';
import { describeValue, listOf, quote } from './show.ts';
import type { Value } from './values.ts';

export interface Complaint {
  code: string;
  /** Goes behind the name of the field. */
  says: string;
  hint: string;
}

const VERSION_HINT = 'Use a quoted version such as "1.0.0" or "2.1.0-beta.1".';
const HOST_HINT =
  'Use names of hosts such as [registry.example.com, "*.example.org"], without a scheme, port or path.';
const TIMESTAMP_HINT = 'Use a timestamp such as 2026-01-31T12:00:00Z.';

type SimpleType = Exclude<FieldType, { kind: 'list' | 'object' | 'streams' }>;

export function wantedOf(type: FieldType): string {
  switch (type.kind) {
    case 'text':
    case 'id':
    case 'pattern':
    case 'version':
    case 'timestamp':
    case 'choice':
    case 'host':
      return 'a text';
    case 'hosts':
      return listOf([...type.words, 'a list of hosts']);
    case 'boolean':
      return 'true or false';
    case 'integer':
      return 'a whole number';
    case 'usd':
      return 'a number of dollars';
    case 'list':
      return 'a list';
    case 'object':
    case 'streams':
      return 'a mapping';
  }
}

export function wrongType(value: Value, type: FieldType, example: string): Complaint {
  const wanted = wantedOf(type);
  return {
    code: 'WRONG_TYPE',
    says: `must be ${wanted}, but found ${describeValue(value)}`,
    hint: typeHint(value, type, example),
  };
}

function typeHint(value: Value, type: FieldType, example: string): string {
  const isWord = typeof value === 'number' || typeof value === 'boolean';
  if (type.kind === 'choice') return `Use ${listOf(type.values)}.`;
  if (type.kind === 'boolean') return 'Write true or false, without quotes.';
  if (type.kind === 'version') return VERSION_HINT;
  if (type.kind === 'timestamp') return TIMESTAMP_HINT;
  if (wantedOf(type) === 'a text' && isWord) return `Put it in quotes: "${value}".`;
  if (type.kind === 'list' && typeof value === 'string' && value.length <= 60) {
    return `Put it in brackets: [${value.includes(',') ? quote(value) : value.trim()}].`;
  }
  if (type.kind === 'integer' && typeof value === 'string' && /^\d+$/.test(value)) {
    return 'Remove the quotes.';
  }
  return `Example: ${example}.`;
}

/** A day that exists; the pattern alone would take the 31st of any month. */
function isDay(text: string): boolean {
  const day = Number(text.slice(8, 10));
  const lastOfMonth = new Date(Date.UTC(2000, 0, 1));
  // The years below 100 mean the 1900s to Date unless set apart.
  lastOfMonth.setUTCFullYear(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0);
  return day <= lastOfMonth.getUTCDate();
}

function checkText(value: string, type: SimpleType): Complaint | undefined {
  switch (type.kind) {
    case 'text':
      if (type.mayBeEmpty || value.trim() !== '') return undefined;
      return { code: 'EMPTY_TEXT', says: 'is empty', hint: 'Add some text.' };
    case 'id':
      return ID_PATTERN.test(value) ? undefined : badId(value);
    case 'pattern':
      return checkPattern(value);
    case 'version':
      if (VERSION_PATTERN.test(value)) return undefined;
      return {
        code: 'BAD_VERSION',
        says: `is not a semantic version: ${quote(value)}`,
        hint: VERSION_HINT,
      };
    case 'timestamp':
      if (TIMESTAMP_PATTERN.test(value) && isDay(value)) return undefined;
      return {
        code: 'BAD_TIMESTAMP',
        says: `is not an ISO 8601 timestamp: ${quote(value)}`,
        hint: TIMESTAMP_HINT,
      };
    case 'choice':
      return type.values.includes(value) ? undefined : badChoice(value, type.values);
    case 'host':
      if (HOST_PATTERN.test(value)) return undefined;
      return {
        code: 'BAD_HOST',
        says: `is not the name of a host: ${quote(value)}`,
        hint: HOST_HINT,
      };
    case 'hosts':
      if (type.words.includes(value)) return undefined;
      return {
        code: 'BAD_CHOICE',
        says: `cannot be ${quote(value)}`,
        hint: HOST_PATTERN.test(value)
          ? `Put it in brackets: [${value}].`
          : `Use ${wantedOf(type)}.`,
      };
    case 'boolean':
    case 'integer':
    case 'usd':
      return undefined;
  }
}

export function badId(id: string): Complaint {
  const says =
    id.length > 128
      ? `is longer than 128 characters: ${quote(id)}`
      : `has characters that are not allowed: ${quote(id)}`;
  return {
    code: 'BAD_ID',
    says,
    hint: 'Use letters, digits, ".", "_", ":" and "-", beginning with a letter or digit, at most 128.',
  };
}

function badChoice(value: string, values: readonly string[]): Complaint {
  const meant = nearestName(value, values);
  return {
    code: 'BAD_CHOICE',
    says: `cannot be ${quote(value)}`,
    hint: meant ? `Did you mean ${meant}?` : `Use ${listOf(values)}.`,
  };
}

function checkPattern(value: string): Complaint | undefined {
  if (isPlainFile(value)) return undefined;
  const read = readPattern(value);
  if (read.kind === 'patterns') return undefined;
  return {
    code: 'BAD_PATTERN',
    says: `${read.problem}: ${quote(value)}`,
    hint: /longer|more than/.test(read.problem)
      ? 'Use * or ** to shorten it.'
      : 'Use a file, folder or glob inside the project, such as src/api.ts, src/api/ or src/**/*.ts.',
  };
}

function checkInteger(value: number, min: number, max: number | undefined): Complaint | undefined {
  if (Number.isSafeInteger(value) && value >= min && (max === undefined || value <= max)) {
    return undefined;
  }
  const range = max === undefined ? `${min} or more` : `from ${min} to ${max}`;
  return {
    code: 'OUT_OF_RANGE',
    says: `must be a whole number, ${range}, but found ${value}`,
    hint: `Write a whole number, ${range}.`,
  };
}

function checkUsd(value: number, max: number): Complaint | undefined {
  if (value > 0 && value <= max) return undefined;
  return {
    code: 'OUT_OF_RANGE',
    says: `must be more than 0 and at most ${max}, but found ${value}`,
    hint: 'Write the dollars as a number, such as 2.50.',
  };
}

/** Undefined when all is well. */
export function checkSimple(
  value: Value,
  type: SimpleType,
  example: string,
): Complaint | undefined {
  if (type.kind === 'boolean') {
    return typeof value === 'boolean' ? undefined : wrongType(value, type, example);
  }
  if (type.kind === 'integer') {
    if (typeof value !== 'number') return wrongType(value, type, example);
    return checkInteger(value, type.min, type.max);
  }
  if (type.kind === 'usd') {
    return typeof value === 'number' ? checkUsd(value, type.max) : wrongType(value, type, example);
  }
  if (typeof value !== 'string') return wrongType(value, type, example);
  return checkText(value, type);
}
