// Codex. All of its configuration comes with the command: the person's is not there, and the project's is not trusted.
import { z } from 'zod';
import type { AgentRun } from '../agent-run.ts';
import { sessionIn } from './headless-agent.ts';
import type { HeadlessAgent } from './headless-agent.ts';

/** Keys and values of its configuration. The sandbox is ours: one within it cannot be made. */
export function codexSettings({
  model,
  folder,
  endpoint,
  program: { login },
}: Pick<AgentRun, 'model' | 'folder' | 'endpoint' | 'program'>): string[] {
  const text = JSON.stringify;
  const access = login
    ? ['forced_login_method="chatgpt"', 'cli_auth_credentials_store="file"']
    : [
        'model_provider="millrace"',
        `model_providers.millrace={name="Millrace",base_url=${text(endpoint.addresses.openai)},env_key="OPENAI_API_KEY",wire_api="responses"}`,
      ];
  return [
    `model=${text(model)}`,
    ...access,
    `review_model=${text(model)}`,
    'approval_policy="never"',
    'sandbox_mode="danger-full-access"',
    'web_search="disabled"',
    'project_doc_max_bytes=0',
    `projects={${text(folder)}={trust_level="untrusted"}}`,
    'skills.include_instructions=false',
    'analytics.enabled=false',
    'check_for_update_on_startup=false',
    'history.persistence="none"',
    'features.apps=false',
    'features.plugins=false',
    'features.hooks=false',
    'features.skip_host_skill_discovery=true',
  ];
}

const Item = z.looseObject({ id: z.string(), type: z.string() });
const Event = z.looseObject({ type: z.string(), item: Item.optional() });
const count = z.number().nonnegative().default(0);
const Used = z.looseObject({
  type: z.literal('turn.completed'),
  usage: z.looseObject({ input_tokens: count, cached_input_tokens: count, output_tokens: count }),
});
const Failure = z.looseObject({ message: z.string() });

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function toolOf(item: z.infer<typeof Item>): { name: string; argument: string } | undefined {
  switch (item.type) {
    case 'command_execution':
      return { name: 'shell', argument: textOf(item['command']) };
    case 'file_change': {
      const changes = z.array(z.looseObject({ path: z.string() })).safeParse(item['changes']).data;
      return { name: 'edit', argument: (changes ?? []).map(({ path }) => path).join(' ') };
    }
    case 'mcp_tool_call':
    case 'web_search':
    case 'todo_list':
    case 'collab_tool_call': {
      const argument = textOf(item['tool']) || textOf(item['query']);
      return { name: item.type, argument };
    }
    default:
      return undefined;
  }
}

export const CODEX: HeadlessAgent = {
  countsOn: 'tokens',
  launch: (run) => ({
    args: [
      'exec',
      ...(run.session === undefined ? [] : ['resume']),
      '--json',
      '--skip-git-repo-check',
      '--ignore-user-config',
      '--ignore-rules',
      ...codexSettings(run).flatMap((setting) => ['-c', setting]),
      ...(run.session === undefined ? [] : [run.session.id]),
      // The task, from standard input.
      '-',
    ],
  }),
  read: (log) => (value) => {
    const event = Event.safeParse(value).data;
    if (event === undefined) return;
    const { type, item } = event;
    const session = type === 'thread.started' ? sessionIn(event['thread_id']) : undefined;
    if (session !== undefined) log.session(session);
    if (type === 'turn.failed' || type === 'error') {
      const failure = Failure.safeParse(type === 'error' ? event : event['error']).data;
      log.failed(failure?.message ?? 'Codex failed, and did not say why.');
    }
    const usage = Used.safeParse(value).data?.usage;
    if (usage !== undefined) {
      const { input_tokens: input, output_tokens: output, cached_input_tokens } = usage;
      log.used({ tokens: { input, output, cachedInput: cached_input_tokens } });
    }
    if (item === undefined) return;
    const tool = toolOf(item);
    if (tool !== undefined) {
      if (type === 'item.started') log.toolStarted(item.id, tool);
      if (type === 'item.completed') log.toolEnded(item.id, tool);
    }
    if (type === 'item.completed' && item.type === 'agent_message') {
      log.message(textOf(item['text']));
    }
    if (type === 'item.completed' && item.type === 'reasoning') log.thought(textOf(item['text']));
  },
};
