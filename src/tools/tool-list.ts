// The tools as clients list them.
import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { AnswerInput, ApprovalsInput } from './approvals/approval-schemas.ts';
import { RunInput } from './runs/run-schemas.ts';
import {
  CancelInput,
  CancelOutput,
  ExecuteInput,
  ExecuteOutput,
  StatusInput,
  StatusOutput,
} from './tool-schemas.ts';

/** Without its dialect: the protocol names one, and validators of older clients know no other. */
function withoutDialect(schema: object & { $schema?: unknown }): Tool['inputSchema'] {
  const { $schema: _, ...rest } = schema;
  return withSingleTypes(rest) as Tool['inputSchema'];
}

/** Lists of types become alternatives: some clients know only schemas with one type each. */
function withSingleTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withSingleTypes);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, withSingleTypes(value)]);
  const { type, ...rest } = Object.fromEntries(entries) as { type?: unknown };
  if (!Array.isArray(type)) return type === undefined ? rest : { type, ...rest };
  return { ...rest, anyOf: type.map((each: unknown) => ({ type: each })) };
}

const inputSchema = (schema: z.ZodType): Tool['inputSchema'] =>
  withoutDialect(z.toJSONSchema(schema, { io: 'input' }));

/** How deep a field of the output is: a property has two keys on its path. */
const OF_A_FIELD = 2;

/**
 * Some hosts put it into the context of the model, where each word costs. So it has no more than a
 * reader needs, and what several tools report is described by one of them.
 */
function outputSchema(schema: z.ZodType, describes: 'all' | 'its own fields'): Tool['inputSchema'] {
  const made = z.toJSONSchema(schema, {
    io: 'output',
    override({ jsonSchema, path }) {
      delete jsonSchema.additionalProperties;
      if (jsonSchema.type === 'integer') {
        delete jsonSchema.minimum;
        delete jsonSchema.maximum;
      }
      if (describes !== 'all' && path.length > OF_A_FIELD) delete jsonSchema.description;
    },
  });
  return withoutDialect(made);
}

export const TOOL_NAMES = [
  'millrace_execute',
  'millrace_status',
  'millrace_cancel',
  'millrace_approvals',
  'millrace_answer',
  'millrace_run',
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

export interface ToolAbilities {
  /** Results are written without a question, when their end is reported. */
  writes: boolean;
  /** There is a workspace to send files from. */
  hasFiles: boolean;
}

/**
 * The hints are about what the tools do by themselves: where results are written after a question or by a
 * command, or not at all, it is the user who changes the project. Only an execution and a run send what they are given
 * to others, the vendors of models; the rest talks to one server. A run works on a branch of its own; it can stop
 * another one, which loses nothing that was done.
 */
export function listTools({ writes, hasFiles }: ToolAbilities): Tool[] {
  return [
    {
      name: 'millrace_execute',
      title: 'Run a task with Millrace',
      description:
        'Plans a coding task, runs its steps in parallel on Millrace and returns the file changes. ' +
        'Use it for work on several files or parts; make small edits yourself. ' +
        'Answers with status "running" if it takes long: then call millrace_status. ' +
        'The same call again joins an execution that is still running.',
      inputSchema: inputSchema(hasFiles ? ExecuteInput : ExecuteInput.omit({ files: true })),
      outputSchema: outputSchema(ExecuteOutput, 'all'),
      annotations: {
        readOnlyHint: false,
        destructiveHint: writes,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    {
      name: 'millrace_status',
      title: 'Get the state of a Millrace execution',
      description:
        'Waits for the end of an execution and returns the whole result, or progress if it takes ' +
        'longer than a call may: then call it again, as next says.',
      inputSchema: inputSchema(StatusInput),
      outputSchema: outputSchema(StatusOutput, 'its own fields'),
      annotations: {
        readOnlyHint: !writes,
        destructiveHint: writes,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    {
      name: 'millrace_cancel',
      title: 'Cancel a Millrace execution',
      description: 'Stops an execution. Completed steps are kept; nothing more is paid for.',
      inputSchema: inputSchema(CancelInput),
      outputSchema: outputSchema(CancelOutput, 'its own fields'),
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    {
      name: 'millrace_approvals',
      title: 'List what Millrace runs ask',
      description:
        'Lists what runs ask a person before they act: plans, changes, pushes, questions. With an id it shows one with its detail.',
      inputSchema: inputSchema(ApprovalsInput),
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    {
      name: 'millrace_answer',
      title: 'Ask the user what a Millrace run asks',
      description:
        'Puts the question of a run to the user and sends what the user says. The answer is the ' +
        "user's alone: you cannot give it.",
      inputSchema: inputSchema(AnswerInput),
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    {
      name: 'millrace_run',
      title: 'Have a Millrace runner make a run',
      description:
        'Starts a run in a project of a runner, on that machine and on a branch of its own, and waits for its end. Lists the projects where neither task nor manifest is given.',
      inputSchema: inputSchema(RunInput),
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
  ];
}
