// Claude Code. `--bare` leaves alone what the repository has for it: CLAUDE.md, settings, hooks, MCP servers, plugins.
import { z } from 'zod';
import { toolArgument } from './tool-argument.ts';
import type { AgentUse } from '../agent-run.ts';
import { sessionIn } from './headless-agent.ts';
import type { HeadlessAgent } from './headless-agent.ts';

/** Also for its work on the side: no other model may be called. */
export function claudeEnvironment(model: string): Record<string, string> {
  return {
    ANTHROPIC_MODEL: model,
    ANTHROPIC_SMALL_FAST_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    CLAUDE_CODE_SUBAGENT_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    IS_SANDBOX: '1',
  };
}

const TOOLS = 'Bash,Edit,Write,Read,Glob,Grep,NotebookEdit,Task,TodoWrite';

const Block = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('thinking'), thinking: z.string() }),
  z.looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string() }),
  z.looseObject({ type: z.literal('tool_result'), tool_use_id: z.string() }),
  z.unknown().transform(() => ({ type: 'other' as const })),
]);
const Message = z.looseObject({
  type: z.enum(['assistant', 'user']),
  message: z.looseObject({ content: z.array(Block) }),
});
const Begun = z.looseObject({ type: z.literal('system'), session_id: z.unknown() });
const Denial = z.looseObject({ tool_name: z.string(), tool_input: z.unknown().optional() });
const Result = z.looseObject({
  type: z.literal('result'),
  subtype: z.string().optional(),
  is_error: z.boolean().optional(),
  result: z.string().optional(),
  errors: z.array(z.string()).optional().catch(undefined),
  permission_denials: z.array(Denial).optional(),
});
const count = z.number().nonnegative().default(0);
const Used = z.looseObject({
  type: z.literal('result'),
  total_cost_usd: z.number().nonnegative().optional(),
  usage: z.looseObject({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
  }),
});

function usedIn(value: unknown): AgentUse | undefined {
  const used = Used.safeParse(value).data;
  if (used === undefined) return undefined;
  const { usage, total_cost_usd: estimatedUsd } = used;
  const cachedInput = usage.cache_read_input_tokens;
  const input = usage.input_tokens + usage.cache_creation_input_tokens + cachedInput;
  const tokens = { input, output: usage.output_tokens, cachedInput };
  return { tokens, ...(estimatedUsd !== undefined && { estimatedUsd }) };
}

/** With `--bare` it never reads the login; without, these would be loaded. */
const HIDES = ['CLAUDE.md', 'CLAUDE.local.md', '.claude', '.mcp.json'];

export const CLAUDE: HeadlessAgent = {
  countsOn: 'estimatedUsd',
  launch: ({ model, maxTurns, session, program: { login } }) => ({
    args: [
      ...(login ? [] : ['--bare']),
      '--print',
      '--output-format=stream-json',
      '--verbose',
      ...(session === undefined ? [] : [`--resume=${session.id}`]),
      '--disable-slash-commands',
      '--strict-mcp-config',
      '--setting-sources=',
      '--permission-mode=dontAsk',
      `--allowedTools=${TOOLS}`,
      `--max-turns=${Math.max(1, maxTurns)}`,
      `--model=${model}`,
    ],
    environment: claudeEnvironment(model),
    ...(login && { hides: HIDES }),
  }),
  read: (log) => (value) => {
    const session = sessionIn(Begun.safeParse(value).data?.session_id);
    if (session !== undefined) log.session(session);
    const message = Message.safeParse(value);
    for (const block of message.data?.message.content ?? []) {
      if (block.type === 'text' && message.data?.type === 'assistant') log.message(block.text);
      if (block.type === 'thinking') log.thought(block.thinking);
      if (block.type === 'tool_use') {
        log.toolStarted(block.id, { name: block.name, argument: toolArgument(block['input']) });
      }
      if (block.type === 'tool_result') log.toolEnded(block.tool_use_id);
    }
    const result = Result.safeParse(value).data;
    if (result === undefined) return;
    for (const { tool_name, tool_input } of result.permission_denials ?? []) {
      log.permissionRefused(`${tool_name} ${toolArgument(tool_input)}`, 'Claude Code refused it.');
    }
    const used = usedIn(value);
    if (used !== undefined) log.used(used);
    log.result(result.result ?? '');
    const isFailed = result.is_error === true || (result.subtype ?? 'success') !== 'success';
    const said = result.result ?? result.errors?.join(' ');
    if (isFailed) log.failed(said ?? `Claude Code ended with ${result.subtype}.`);
  },
};
