// Notation B.
import { usualTimeoutMs } from '../model.ts';
import type { FeatureManifest, FeatureStream } from '../model.ts';
import { FEATURE_FIELDS, FEATURE_STREAM_FIELDS } from '../schema/feature-fields.ts';
import { DEFAULT_DEPTH } from '../schema/field.ts';
import type { ManifestLimits } from './limits.ts';
import { agentChoice } from './agent-choice.ts';
import { commandPlace } from './command-place.ts';
import { modelChoice } from './model-choice.ts';
import { readFields } from './read-fields.ts';
import type { FieldValues, Reading } from './read-fields.ts';
import { readStreams } from './read-streams.ts';
import { isMapping } from './values.ts';
import type { Mapping } from './values.ts';

function toStream(id: string, values: FieldValues, topAgent: string | undefined): FeatureStream {
  const given: Partial<FeatureStream> = values;
  const { plan, error, parentStreamId, appliedAt, skippedBy, timeoutMs } = given;
  const { agent = topAgent } = given;
  return {
    id,
    name: given.name ?? '',
    deps: given.deps ?? [],
    owns: given.owns ?? [],
    reads: given.reads ?? [],
    ...(plan === undefined ? {} : { plan }),
    setup: given.setup ?? [],
    verify: given.verify ?? [],
    optional: given.optional ?? false,
    depth: given.depth ?? DEFAULT_DEPTH,
    timeoutMs: timeoutMs ?? usualTimeoutMs(agent),
    status: given.status ?? 'pending',
    ...(error === undefined ? {} : { error }),
    attempts: given.attempts ?? 0,
    ...(parentStreamId === undefined ? {} : { parentStreamId }),
    ...(appliedAt === undefined ? {} : { appliedAt }),
    ...(skippedBy === undefined ? {} : { skippedBy }),
    ...modelChoice(values),
    ...agentChoice(values),
  };
}

/** Complete only if no error was reported. */
export function readFeature(
  reading: Reading,
  top: Mapping,
  limits: ManifestLimits,
): FeatureManifest {
  const values = readFields(reading, top, FEATURE_FIELDS);
  const { feature = '', created, status, agent }: Partial<FeatureManifest> = values;
  const streams = top.get('streams');
  return {
    notation: 'B',
    feature,
    ...(created === undefined ? {} : { created }),
    ...(status === undefined ? {} : { status }),
    streams: isMapping(streams)
      ? readStreams(reading, streams, {
          fields: FEATURE_STREAM_FIELDS,
          limits,
          make: (id, fields) => toStream(id, fields, agent),
        })
      : new Map(),
    ...commandPlace(values),
    ...modelChoice(values),
    ...agentChoice(values),
  };
}
