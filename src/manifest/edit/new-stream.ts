// A stream that was not in the manifest, as text in the style of the file.
import type { FeatureStream } from '../model.ts';
import type { Layout } from './fields.ts';
import { writeBlock, writeList, writeScalar, writeText } from './scalar.ts';

export type NewStream = Pick<FeatureStream, 'id' | 'name'> &
  Partial<Omit<FeatureStream, 'id' | 'name'>>;

const FIELD_ORDER = [
  'name',
  'parentStreamId',
  'deps',
  'owns',
  'reads',
  'plan',
  'setup',
  'verify',
  'optional',
  'depth',
  'model',
  'models',
  'maxTokens',
  'contextTokens',
  'reasoning',
  'serviceTier',
  'agent',
  'maxTurns',
  'network',
  'maxCostUsd',
  'timeoutMs',
  'status',
  'error',
  'attempts',
  'appliedAt',
  'skippedBy',
] as const satisfies readonly (keyof FeatureStream)[];

type Value = string | number | boolean | readonly string[];

function fieldsOf(stream: NewStream): [string, Value][] {
  return FIELD_ORDER.flatMap((name): [string, Value][] => {
    const value = stream[name];
    return value === undefined ? [] : [[name, value]];
  });
}

function writeValue(value: Value, { quoting }: Layout): string {
  return typeof value === 'object' ? writeList(value, quoting) : writeScalar(value, quoting);
}

/** As an entry of a flow mapping, without a comma. */
export function writeFlowStream(stream: NewStream, layout: Layout): string {
  const { quoting } = layout;
  const fields = fieldsOf(stream).map(
    ([name, value]) => `${writeText(name, quoting)}: ${writeValue(value, layout)}`,
  );
  return `${writeText(stream.id, quoting)}: {${fields.join(', ')}}`;
}

/** As lines of a block mapping, without the last line break. */
export function writeBlockStream(
  stream: NewStream,
  layout: Layout,
  { padding, step }: { padding: string; step: string },
): string {
  const inner = padding + step;
  const lines = fieldsOf(stream).map(([name, value]) => {
    const isLong = typeof value === 'string' && value.includes('\n');
    const block = isLong ? writeBlock(value, inner + step, layout.lineBreak) : undefined;
    return `${inner}${name}: ${block ?? writeValue(value, layout)}`;
  });
  return [`${padding}${writeText(stream.id, 'when-needed')}:`, ...lines].join(layout.lineBreak);
}
