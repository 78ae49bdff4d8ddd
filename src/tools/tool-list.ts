// The tools as clients list them.
import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import {
  CancelInput,
  CancelOutput,
  ExecuteInput,
  ExecuteOutput,
  StatusInput,
  StatusOutput,
} from './tool-schemas.ts';

/** Without its dialect: the protocol names one, and validators of older clients know no other. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Tool['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest as Tool['inputSchema'];
}

export const TOOL_NAMES = ['millrace_execute', 'millrace_status', 'millrace_cancel'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

export function listTools(): Tool[] {
  return [
    {
      name: 'millrace_execute',
      title: 'Run a task with Millrace',
      description:
        'Plans a coding task, runs its steps on Millrace and returns the file changes. ' +
        'Answers with status "running" if it takes long: then call millrace_status. ' +
        'The same call again joins an execution that is still running.',
      inputSchema: jsonSchema(ExecuteInput, 'input'),
      outputSchema: jsonSchema(ExecuteOutput, 'output'),
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    {
      name: 'millrace_status',
      title: 'Get the state of a Millrace execution',
      description:
        'Returns progress and, once it has ended, the whole result. Waits a while for news, so ' +
        'call it again without a pause. "latest" is the newest execution of this workspace.',
      inputSchema: jsonSchema(StatusInput, 'input'),
      outputSchema: jsonSchema(StatusOutput, 'output'),
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
    },
    {
      name: 'millrace_cancel',
      title: 'Cancel a Millrace execution',
      description: 'Stops an execution. Completed steps are kept; nothing more is paid for.',
      inputSchema: jsonSchema(CancelInput, 'input'),
      outputSchema: jsonSchema(CancelOutput, 'output'),
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: true,
      },
    },
  ];
}
