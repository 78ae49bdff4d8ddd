// Reads mappings by their field tables. What is wrong is reported and left out of the result.
import { FREE_KEY_PREFIX } from '../schema/field.ts';
import type { FieldSpec, FieldType, Fields } from '../schema/field.ts';
import type { ValuePath } from '../problem.ts';
import { checkSimple, wrongType } from './field-check.ts';
import type { Complaint } from './field-check.ts';
import { nearestName } from './nearest.ts';
import type { ProblemList } from './problem-list.ts';
import { quote } from './show.ts';
import { isMapping } from './values.ts';
import type { Mapping, Value } from './values.ts';

export type FieldValues = Record<string, unknown>;

/** What one reading shares. */
export interface Reading {
  problems: ProblemList;
  /** Where we are; one list for all, because a problem is rare and a path for each value is not. */
  path: (string | number)[];
  /** Something was left out already, so that what is missing may be only that. */
  isPartial: boolean;
  /** Patterns that braces may still stand for in this manifest. */
  braces: { left: number };
}

const MAX_EXPANSIONS = 1024;

export function complain(reading: Reading, name: string, complaint: Complaint): void {
  const { code, says, hint } = complaint;
  reading.problems.error(() => ({
    code,
    message: `${name} ${says}.`,
    hint,
    path: [...reading.path],
  }));
}

function nameOf(path: ValuePath): string {
  const field = path.findLast((step) => typeof step === 'string') ?? 'The manifest';
  return typeof path.at(-1) === 'number' ? `An entry of ${field}` : field;
}

export function readFields(reading: Reading, mapping: Mapping, fields: Fields): FieldValues {
  const values: FieldValues = {};
  for (const [key, value] of mapping) {
    const spec = Object.hasOwn(fields, key) ? fields[key] : undefined;
    reading.path.push(key);
    if (spec === undefined) reportUnknown(reading, key, fields);
    else if (value === null && !spec.isRequired) reportEmpty(reading, key);
    else if (value !== null) {
      const read = readValue(reading, value, spec.type, spec);
      if (read !== undefined) values[key] = read;
    }
    reading.path.pop();
  }
  for (const name of Object.keys(fields)) {
    if (fields[name]!.isRequired && (mapping.get(name) === null || !mapping.has(name))) {
      reportMissing(reading, name, fields[name]!, mapping.has(name));
    }
    const other = fields[name]!.excludes;
    if (other !== undefined && Object.hasOwn(values, name) && Object.hasOwn(values, other)) {
      reportBoth(reading, name, other);
    }
  }
  return values;
}

function reportUnknown(reading: Reading, key: string, fields: Fields): void {
  if (key.startsWith(FREE_KEY_PREFIX)) return;
  reading.problems.warning(() => {
    const meant = nearestName(key, Object.keys(fields));
    return {
      code: 'UNKNOWN_FIELD',
      message: `${quote(key)} is not a known field and has no effect.`,
      hint: meant
        ? `Did you mean ${meant}?`
        : `Remove it, or start its name with ${FREE_KEY_PREFIX} to keep it. Fields here: ${Object.keys(fields).join(', ')}.`,
      path: [...reading.path],
      atKey: true,
    };
  });
}

function reportEmpty(reading: Reading, key: string): void {
  reading.problems.warning(() => ({
    code: 'EMPTY_FIELD',
    message: `${key} has no value and is ignored.`,
    hint: 'Give it a value, or remove it.',
    path: [...reading.path],
  }));
}

function reportMissing(reading: Reading, name: string, spec: FieldSpec, isThere: boolean): void {
  reading.problems.error(() => ({
    code: 'MISSING_FIELD',
    message: isThere ? `${name} is required but has no value.` : `${name} is missing.`,
    hint: `${spec.about} Add it like this: ${name}: ${spec.example}`,
    path: [...reading.path, name],
  }));
}

function reportBoth(reading: Reading, name: string, other: string): void {
  reading.problems.error(() => ({
    code: 'BOTH_GIVEN',
    message: `${other} and ${name} are both given.`,
    hint: `Remove one of them.`,
    path: [...reading.path, name],
    atKey: true,
  }));
}

function readValue(reading: Reading, value: Value, type: FieldType, spec: FieldSpec): unknown {
  // Refused and reported when the text was read.
  if (value === undefined) return undefined;
  if (type.kind === 'list' && Array.isArray(value)) return readList(reading, value, type, spec);
  if (type.kind === 'hosts' && Array.isArray(value)) {
    return readList(reading, value, { kind: 'list', of: { kind: 'host' }, min: 1 }, spec);
  }
  if (type.kind === 'object' && isMapping(value)) return readFields(reading, value, type.fields);
  if (type.kind === 'streams' && isMapping(value)) return value;
  if (type.kind === 'list' || type.kind === 'object' || type.kind === 'streams') {
    complain(reading, nameOf(reading.path), wrongType(value, type, spec.example));
    return undefined;
  }
  if (type.kind === 'pattern' && !mayExpand(reading, value)) return undefined;
  const complaint = checkSimple(value, type, spec.example);
  if (complaint) complain(reading, nameOf(reading.path), complaint);
  // A text that means nothing is kept: others after it in a list keep their places.
  return complaint && typeof value !== 'string' ? undefined : value;
}

/** A list with an entry of the wrong type counts as missing, for its places would not be right. */
function readList(
  reading: Reading,
  list: readonly Value[],
  { of: type, min = 0 }: Extract<FieldType, { kind: 'list' }>,
  spec: FieldSpec,
): unknown[] | undefined {
  if (list.length < min) {
    const hint = `Example: ${spec.example}.`;
    complain(reading, nameOf(reading.path), { code: 'EMPTY_LIST', says: 'is empty', hint });
    return undefined;
  }
  const items: unknown[] = [];
  // An example of the whole list would mislead; the type of an entry says enough.
  const ofEntry = { ...spec, example: entryExample(type, spec) };
  for (const [at, value] of list.entries()) {
    reading.path.push(at);
    const item = readValue(reading, value, type, ofEntry);
    if (item !== undefined) items.push(item);
    reading.path.pop();
  }
  return items.length === list.length ? items : undefined;
}

function entryExample(type: FieldType, { example }: FieldSpec): string {
  const entry = example.replace(/^\[|\]$/g, '');
  return type.kind === 'object' ? `- ${entry}` : `- ${entry.split(', ')[0]}`;
}

/** Braces multiply; so many of them that it takes seconds are refused. */
function mayExpand(reading: Reading, value: Value): boolean {
  if (typeof value !== 'string' || !value.includes('{')) return true;
  const groups = value.split('{').length - 1;
  const commas = value.split(',').length - 1;
  // Shared out evenly, commas make the most alternatives.
  const cost = Math.min(MAX_EXPANSIONS, ((commas + groups) / groups) ** groups);
  const before = reading.braces.left;
  reading.braces.left -= cost;
  if (reading.braces.left > 0) return true;
  if (before > 0) {
    complain(reading, nameOf(reading.path), {
      code: 'TOO_MANY_PATTERNS',
      says: 'expands too far: the braces in this manifest add up to too many patterns',
      hint: 'Use * instead of braces, or split the manifest.',
    });
  }
  return false;
}
