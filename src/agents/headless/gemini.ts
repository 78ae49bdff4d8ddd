// Gemini CLI. The project is not trusted, so that it loads nothing of it: no GEMINI.md, settings, hooks, MCP servers,
// skills. What it would then ask for is allowed by a policy of ours.
import { z } from 'zod';
import { toolArgument } from './tool-argument.ts';
import type { AgentRun } from '../agent-run.ts';
import { sessionIn } from './headless-agent.ts';
import type { HeadlessAgent } from './headless-agent.ts';

const POLICY = '.gemini/millrace.toml';

/** Git it refuses all the same, in a folder that is not trusted and with nobody to ask. */
const ALLOW_ALL = `[[rule]]
toolName = "*"
decision = "allow"
priority = 900
allowRedirection = true
`;

export const geminiFiles = ({
  maxTurns,
  program: { login },
}: Pick<AgentRun, 'maxTurns' | 'program'>): Record<string, string> => ({
  '.gemini/settings.json': JSON.stringify({
    security: {
      auth: { selectedType: login ? 'oauth-personal' : 'gemini-api-key' },
      // It would refuse to start in a folder that is not trusted.
      folderTrust: { enabled: false },
    },
    model: { maxSessionTurns: Math.max(1, maxTurns) },
    hooksConfig: { enabled: false },
    skills: { enabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    experimental: { enableAgents: false },
  }),
});

export const geminiEnvironment = (model: string): Record<string, string> => ({
  GEMINI_MODEL: model,
  GEMINI_CLI_TRUST_WORKSPACE: 'false',
  GEMINI_CLI_NO_RELAUNCH: 'true',
});

export const GEMINI_ARGS = ['--extensions=none', '--allowed-mcp-server-names=none'] as const;

const Begun = z.looseObject({ type: z.literal('init'), session_id: z.unknown() });
const Message = z.looseObject({
  type: z.literal('message'),
  role: z.literal('assistant'),
  content: z.string(),
});
const Used = z.looseObject({
  type: z.literal('tool_use'),
  tool_id: z.string(),
  tool_name: z.string(),
  parameters: z.unknown().optional(),
});
const Ended = z.looseObject({ type: z.literal('tool_result'), tool_id: z.string() });
const Failed = z.looseObject({ type: z.literal('error'), message: z.string() });
const Result = z.looseObject({
  type: z.literal('result'),
  status: z.string(),
  error: z.looseObject({ message: z.string() }).optional(),
});
const count = z.number().nonnegative().default(0);
const Stats = z.looseObject({ input_tokens: count, output_tokens: count, cached: count });

export const GEMINI: HeadlessAgent = {
  launch: (run) => ({
    args: [
      ...GEMINI_ARGS,
      '--output-format=stream-json',
      `--model=${run.model}`,
      ...(run.session === undefined ? [] : [`--resume=${run.session.id}`]),
      // Expanded by the shell that writes the files: only it knows where the home inside is.
      `--policy=@HOME@/${POLICY}`,
    ],
    environment: geminiEnvironment(run.model),
    homeFiles: { ...geminiFiles(run), [POLICY]: ALLOW_ALL },
  }),
  read: (log) => (value) => {
    const session = sessionIn(Begun.safeParse(value).data?.session_id);
    if (session !== undefined) log.session(session);
    const message = Message.safeParse(value).data;
    if (message) log.piece(message.content);
    const used = Used.safeParse(value).data;
    if (used) {
      const { tool_id, tool_name, parameters } = used;
      log.toolStarted(tool_id, { name: tool_name, argument: toolArgument(parameters) });
    }
    const ended = Ended.safeParse(value).data;
    if (ended) log.toolEnded(ended.tool_id);
    const failed = Failed.safeParse(value).data;
    // Warnings come the same way; the work continues after them.
    if (failed && failed['severity'] !== 'warning') log.failed(failed.message);
    const result = Result.safeParse(value).data;
    const stats = Stats.safeParse(result?.['stats']).data;
    if (stats) {
      const { input_tokens: input, output_tokens: output, cached: cachedInput } = stats;
      log.used({ tokens: { input, output, cachedInput } });
    }
    if (result && result.status !== 'success') {
      log.failed(result.error?.message ?? `Gemini CLI ended with ${result.status}.`);
    }
  },
};
