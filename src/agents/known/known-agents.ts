// Agents that people install: what their programs are called, which models they can ask, and which versions were tried.
// How each is started and read is in `headless` and `acp`.
import type { ProviderId, PublicProvider } from '../../domain/model/model-routing.ts';
import { routeModel } from '../../domain/model/model-routing.ts';

export const KNOWN_AGENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type KnownAgent = (typeof KNOWN_AGENTS)[number];
export type KnownProtocol = 'acp' | 'headless';

export interface KnownProgram {
  /** On the PATH; the first that is there. */
  names: readonly [string, ...string[]];
  /** Of npm. */
  package: string;
  /** Before other versions a run warns: from this one, below the next major. */
  from: string;
  tested: string;
}

export interface KnownFacts {
  title: string;
  /** Unless the person's settings say otherwise. */
  protocol: KnownProtocol;
  programs: Readonly<Record<KnownProtocol, KnownProgram>>;
  providers: readonly PublicProvider[];
  /** Where it keeps the login of a subscription; undefined where that cannot be used here. */
  login?: LoginFacts;
}

export interface LoginFacts {
  /** Below a home folder. */
  file: string;
  /** The variable that names another place for the folder of that file. */
  variable?: string;
  /** A field that only a login of a subscription has. */
  proof: string;
  /** Fields that are no part of it. */
  withheld: readonly string[];
  /** Of its vendor: for the work, and for fresh tokens. */
  hosts: readonly string[];
  /** What a person runs to sign in. */
  command: string;
}

const CLAUDE: KnownProgram = {
  names: ['claude'],
  package: '@anthropic-ai/claude-code',
  from: '2.1.300',
  tested: '2.1.328',
};
const CODEX: KnownProgram = {
  names: ['codex'],
  package: '@openai/codex',
  from: '0.160.0',
  tested: '0.169.0',
};
const GEMINI: KnownProgram = {
  names: ['gemini'],
  package: '@google/gemini-cli',
  from: '0.60.0',
  tested: '0.61.0',
};
const OPENCODE: KnownProgram = {
  names: ['opencode'],
  package: 'opencode-ai',
  from: '1.18.0',
  tested: '1.18.33',
};

const FACTS: Readonly<Record<KnownAgent, KnownFacts>> = {
  claude: {
    title: 'Claude Code',
    protocol: 'headless',
    programs: {
      headless: CLAUDE,
      acp: {
        names: ['claude-agent-acp', 'claude-code-acp'],
        package: '@agentclientprotocol/claude-agent-acp',
        from: '0.99.0',
        tested: '0.100.0',
      },
    },
    providers: ['anthropic'],
    login: {
      file: '.claude/.credentials.json',
      variable: 'CLAUDE_CONFIG_DIR',
      proof: 'claudeAiOauth',
      withheld: ['mcpOAuth'],
      hosts: ['api.anthropic.com', 'platform.claude.com', 'console.anthropic.com'],
      command: 'claude /login',
    },
  },
  codex: {
    title: 'Codex',
    protocol: 'headless',
    programs: {
      headless: CODEX,
      acp: {
        names: ['codex-acp'],
        package: '@agentclientprotocol/codex-acp',
        from: '2.6.0',
        tested: '2.6.0',
      },
    },
    providers: ['openai'],
    login: {
      file: '.codex/auth.json',
      variable: 'CODEX_HOME',
      proof: 'tokens',
      withheld: ['OPENAI_API_KEY'],
      hosts: ['chatgpt.com', 'auth.openai.com'],
      command: 'codex login',
    },
  },
  gemini: {
    title: 'Gemini CLI',
    protocol: 'acp',
    programs: { headless: GEMINI, acp: GEMINI },
    providers: ['google'],
    login: {
      file: '.gemini/oauth_creds.json',
      proof: 'refresh_token',
      withheld: [],
      hosts: ['cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
      command: 'gemini',
    },
  },
  opencode: {
    title: 'opencode',
    protocol: 'acp',
    programs: { headless: OPENCODE, acp: OPENCODE },
    providers: ['anthropic', 'openai', 'google', 'openrouter'],
  },
};

export const isKnownAgent = (name: string): name is KnownAgent =>
  (KNOWN_AGENTS as readonly string[]).includes(name);

export const factsOfAgent = (agent: KnownAgent): KnownFacts => FACTS[agent];

/** The simulator speaks every vendor's protocol. A model of no known vendor is for the server to route. */
export function canAsk(agent: KnownAgent, model: string): boolean {
  const provider = providerOf(model);
  if (provider === undefined || provider === 'simulator') return true;
  return FACTS[agent].providers.includes(provider);
}

export function providerOf(model: string): ProviderId | undefined {
  const route = routeModel(model);
  return route.kind === 'routed' ? route.provider : undefined;
}
