// The streams of either notation: ids, and the fields of each.
import type { Fields } from '../schema/field.ts';
import { ID_PATTERN } from '../schema/field.ts';
import { badId, wrongType } from './field-check.ts';
import type { ManifestLimits } from './limits.ts';
import { complain, readFields } from './read-fields.ts';
import type { FieldValues, Reading } from './read-fields.ts';
import { quote } from './show.ts';
import { isMapping } from './values.ts';
import type { Mapping } from './values.ts';

export function readStreams<T>(
  reading: Reading,
  mapping: Mapping,
  options: { fields: Fields; limits: ManifestLimits; make: (id: string, values: FieldValues) => T },
): Map<string, T> {
  const { fields, limits, make } = options;
  const streams = new Map<string, T>();
  reading.path.push('streams');
  if (mapping.size === 0 && !reading.isPartial) reportNone(reading);
  if (mapping.size > limits.maxStreams) reportTooMany(reading, limits.maxStreams);
  else {
    for (const [id, value] of mapping) {
      reading.path.push(id);
      if (!ID_PATTERN.test(id)) reportBadId(reading, id);
      let values: FieldValues = {};
      if (isMapping(value)) values = readFields(reading, value, fields);
      else if (value !== undefined) {
        const type = { kind: 'object', fields } as const;
        complain(reading, `Stream ${quote(id)}`, wrongType(value, type, firstFieldOf(fields)));
      }
      // Kept even if it is no good, so that streams that depend on it are not called wrong, too.
      streams.set(id, make(id, values));
      reading.path.pop();
    }
  }
  reading.path.pop();
  return streams;
}

function firstFieldOf(fields: Fields): string {
  const required = Object.entries(fields).filter(([, spec]) => spec.isRequired);
  return `{ ${required.map(([name, spec]) => `${name}: ${spec.example}`).join(', ')} }`;
}

function reportNone(reading: Reading): void {
  reading.problems.error(() => ({
    code: 'NO_STREAMS',
    message: 'streams is empty.',
    hint: 'Add at least one stream: its id, with its fields below.',
    path: ['streams'],
  }));
}

function reportTooMany(reading: Reading, limit: number): void {
  reading.problems.error(() => ({
    code: 'TOO_MANY_STREAMS',
    message: `There are more than ${limit} streams.`,
    hint: 'Split them into several manifests.',
    path: ['streams'],
  }));
}

function reportBadId(reading: Reading, id: string): void {
  const { code, says, hint } = badId(id);
  reading.problems.error(() => ({
    code,
    message: `Invalid stream id: it ${says}.`,
    hint,
    path: [...reading.path],
    atKey: true,
  }));
}
