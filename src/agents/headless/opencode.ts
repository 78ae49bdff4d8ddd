// opencode. It has no option to leave the configuration and the plugins of a repository alone, so these are out of its
// way while it works.
import { z } from 'zod';
import { toolArgument } from './tool-argument.ts';
import type { PublicProvider } from '../../domain/model/model-routing.ts';
import type { AgentRun } from '../agent-run.ts';
import type { ModelEndpoint } from '../model-access.ts';
import { sessionIn } from './headless-agent.ts';
import type { HeadlessAgent } from './headless-agent.ts';

export const OPENCODE_HIDES = ['.opencode', 'opencode.json', 'opencode.jsonc'] as const;

/** Its client of each vendor adds the rest of the path. */
const baseOf = (
  { addresses: { anthropic, google, ...others } }: ModelEndpoint,
  vendor: PublicProvider,
): string => ({ ...others, anthropic: `${anthropic}/v1`, google: `${google}/v1beta` })[vendor];

/** The simulator answers as any vendor. */
const vendorOf = (provider: AgentRun['provider']): PublicProvider =>
  provider === undefined || provider === 'simulator' ? 'anthropic' : provider;

export const opencodeModel = ({ model, provider }: Pick<AgentRun, 'model' | 'provider'>) =>
  `${vendorOf(provider)}/${model}`;

export function opencodeEnvironment(
  run: Pick<AgentRun, 'model' | 'provider' | 'endpoint'>,
  { edit }: { edit: 'allow' | 'ask' },
): Record<string, string> {
  const vendor = vendorOf(run.provider);
  const config = {
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    enabled_providers: [vendor],
    provider: {
      [vendor]: {
        options: { baseURL: baseOf(run.endpoint, vendor), apiKey: run.endpoint.key },
        models: { [run.model]: {} },
      },
    },
    model: opencodeModel(run),
    small_model: opencodeModel(run),
    // A call that nobody sees the answer of.
    agent: { title: { disable: true } },
    permission: { edit, bash: 'allow', webfetch: 'deny', external_directory: 'allow' },
  };
  const off = [
    'PROJECT_CONFIG',
    'AUTOUPDATE',
    'MODELS_FETCH',
    'CLAUDE_CODE',
    'DEFAULT_PLUGINS',
    'EXTERNAL_SKILLS',
    'LSP_DOWNLOAD',
    'SHARE',
  ];
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_PURE: '1',
    ...Object.fromEntries(off.map((name) => [`OPENCODE_DISABLE_${name}`, '1'])),
  };
}

const Part = z.looseObject({ type: z.string() });
const Event = z.looseObject({ type: z.string(), part: Part.optional() });
const Tool = z.looseObject({
  callID: z.string(),
  tool: z.string(),
  state: z.looseObject({
    input: z.unknown().optional(),
    time: z.looseObject({ start: z.number(), end: z.number() }).optional(),
  }),
});
const Failure = z.looseObject({
  name: z.string().optional(),
  data: z.looseObject({ message: z.string() }).optional(),
});

export const OPENCODE: HeadlessAgent = {
  launch: (run) => ({
    args: [
      'run',
      '--pure',
      '--format=json',
      `--model=${opencodeModel(run)}`,
      run.session === undefined ? '--title=Millrace' : `--session=${run.session.id}`,
    ],
    environment: opencodeEnvironment(run, { edit: 'allow' }),
    hides: OPENCODE_HIDES,
  }),
  read: (log) => (value) => {
    const event = Event.safeParse(value).data;
    if (event === undefined) return;
    const session = sessionIn(event['sessionID']);
    if (session !== undefined) log.session(session);
    if (event.type === 'error') {
      const failure = Failure.safeParse(event['error']).data;
      log.failed(failure?.data?.message ?? failure?.name ?? 'opencode failed.');
    }
    const text = event.part?.['text'];
    if (event.type === 'text' && typeof text === 'string') log.message(text);
    if (event.type === 'reasoning' && typeof text === 'string') log.thought(text);
    const tool = Tool.safeParse(event.part).data;
    if (event.type === 'tool_use' && tool !== undefined) {
      const { time } = tool.state;
      log.toolEnded(tool.callID, {
        name: tool.tool,
        argument: toolArgument(tool.state.input),
        durationMs: time && Math.max(0, Math.round(time.end - time.start)),
      });
    }
  },
};
