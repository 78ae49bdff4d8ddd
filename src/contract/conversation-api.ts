// What a model is asked when a job is one turn of a conversation, and what it answers: messages and tools in one neutral
// shape, whichever provider the job goes to.
import { z } from 'zod';
import { isNestedAtMost } from './nesting.ts';

const MAX_TOOLS = 64;
const MAX_MESSAGES = 10_000;
const MAX_CALLS = 1000;
const MAX_BLOCKS = 10_000;
/** Schemas nest three levels for each level of what they describe. */
export const MAX_NESTING = 64;
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const nested = { message: `must not be nested deeper than ${MAX_NESTING}` };
const JsonObject = z.looseObject({}).refine((value) => isNestedAtMost(value, MAX_NESTING), nested);

export const ToolSpec = z
  .object({
    name: z
      .string()
      .regex(TOOL_NAME, 'must be 1 to 64 letters, digits, "_" or "-"')
      .meta({ example: 'read_file' }),
    description: z.string().meta({ description: 'What the tool does and when to call it' }),
    parameters: JsonObject.refine(({ type }) => type === undefined || type === 'object', {
      message: 'must be the JSON Schema of an object',
    }).meta({
      description: 'JSON Schema of the arguments, which are an object',
      example: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    }),
  })
  .meta({ id: 'ToolSpec' });
export type ToolSpec = z.infer<typeof ToolSpec>;

export const ToolCall = z
  .object({
    // Names and ids are the model's: servers differ in what they write there.
    id: z.string().min(1).max(100_000),
    name: z.string().max(1000),
    arguments: JsonObject.nullable().meta({
      description: 'null if what the model wrote is not a JSON object; see `argumentsText`',
    }),
    argumentsText: z.string().optional().meta({
      description: 'What the model wrote, present only if `arguments` is null',
    }),
  })
  .meta({ id: 'ToolCall' });
export type ToolCall = z.infer<typeof ToolCall>;

/** How a provider wrote an answer. */
export const AnswerFormat = z.enum(['anthropic', 'chat', 'responses', 'google']);

export const OpaqueAnswer = z
  .object({
    provider: z.string().max(50),
    model: z.string().max(200),
    format: AnswerFormat,
    blocks: z
      .array(z.unknown())
      .max(MAX_BLOCKS)
      .refine((blocks) => isNestedAtMost(blocks, 2 * MAX_NESTING), {
        message: `must not be nested deeper than ${2 * MAX_NESTING}`,
      }),
  })
  .meta({
    id: 'OpaqueAnswer',
    description:
      'The answer as its provider wrote it, such as signed thinking. Send it back unchanged; it is used with the same model of the same provider and ignored with any other',
  });
export type OpaqueAnswer = z.infer<typeof OpaqueAnswer>;

export const AssistantMessage = z
  .object({
    role: z.literal('assistant'),
    text: z.string().optional(),
    toolCalls: z.array(ToolCall).max(MAX_CALLS).optional(),
    opaque: OpaqueAnswer.optional(),
  })
  .meta({ id: 'AssistantMessage' });
export type AssistantMessage = z.infer<typeof AssistantMessage>;

export const Message = z
  .discriminatedUnion(
    'role',
    [
      z.object({ role: z.literal('system'), text: z.string().min(1) }).meta({
        id: 'SystemMessage',
        description: 'Instructions. Only the first message can be one',
      }),
      z.object({ role: z.literal('user'), text: z.string().min(1) }).meta({ id: 'UserMessage' }),
      AssistantMessage,
      z
        .object({
          role: z.literal('tool'),
          callId: z.string().min(1).max(100_000).meta({
            description: 'The id of a call of the assistant message before it',
          }),
          text: z.string().meta({ description: 'What the tool returned; it may be empty' }),
          isError: z.boolean().optional().meta({ description: 'True if the call failed' }),
        })
        .meta({ id: 'ToolMessage' }),
    ],
    {
      error: (issue) =>
        issue.code === 'invalid_union' ? 'must be system, user, assistant or tool' : undefined,
    },
  )
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

export const Messages = z.array(Message).min(1).max(MAX_MESSAGES);
export const Tools = z.array(ToolSpec).min(1).max(MAX_TOOLS);

/** What a job asks when it is more than one text. */
export interface Conversation {
  messages: readonly Message[];
  tools: readonly ToolSpec[];
}
