// The schema of a tool as all vendors take it: some want it to say that it is of an object, and which properties it has.
import type { ToolSpec } from '../../../contract/conversation-api.ts';

export function schemaOf({ parameters }: ToolSpec): Record<string, unknown> {
  // Which draft of the standard it follows is of no interest to a model, and some refuse it.
  const { $schema: _, ...schema } = parameters;
  return {
    ...(schema['type'] === undefined && { type: 'object' }),
    ...(schema['properties'] === undefined && { properties: {} }),
    ...schema,
  };
}
