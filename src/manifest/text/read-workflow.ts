// Notation A.
import { usualTimeoutMs } from '../model.ts';
import type { ContextDepth, WorkflowCommand, WorkflowManifest, WorkflowStream } from '../model.ts';
import { WORKFLOW_FIELDS, WORKFLOW_STREAM_FIELDS } from '../schema/workflow-fields.ts';
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

interface StreamValues {
  description?: string;
  plan?: string;
  context?: { files?: string[]; depth?: ContextDepth };
  commands?: WorkflowCommand[];
  constraints?: { maxSteps?: number; timeout?: number; requireTests?: boolean };
}

function toStream(id: string, values: FieldValues, topAgent: string | undefined): WorkflowStream {
  const { description = '', plan = '', context, commands, constraints }: StreamValues = values;
  const { agent = topAgent }: { agent?: string } = values;
  const maxSteps = constraints?.maxSteps;
  return {
    id,
    description,
    plan,
    files: context?.files ?? [],
    depth: context?.depth ?? DEFAULT_DEPTH,
    commands: commands ?? [],
    ...(maxSteps === undefined ? {} : { maxSteps }),
    timeoutMs: constraints?.timeout ?? usualTimeoutMs(agent),
    requireTests: constraints?.requireTests ?? false,
    ...modelChoice(values),
    ...agentChoice(values),
  };
}

/** Complete only if no error was reported. */
export function readWorkflow(
  reading: Reading,
  top: Mapping,
  limits: ManifestLimits,
): WorkflowManifest {
  const values = readFields(reading, top, WORKFLOW_FIELDS);
  const { name = '', version = '', description = '', agent }: Partial<WorkflowManifest> = values;
  const streams = top.get('streams');
  return {
    notation: 'A',
    name,
    version,
    description,
    streams: isMapping(streams)
      ? readStreams(reading, streams, {
          fields: WORKFLOW_STREAM_FIELDS,
          limits,
          make: (id, fields) => toStream(id, fields, agent),
        })
      : new Map(),
    ...commandPlace(values),
    ...modelChoice(values),
    ...agentChoice(values),
  };
}
