// Agents that work with the person's own login: what they may not be asked for, and what the person is asked.
import type { Manifest } from '../../../manifest/model.ts';
import type { AgentSetting } from '../../../orchestrator/index.ts';
import { CommandError } from '../../command-error.ts';
import { plain } from '../../terminal/plain-text.ts';
import type { AgentSettings } from '../../settings/client-settings.ts';
import type { AgentProblem } from '../agents/find-agent.ts';

export interface NamedLogin {
  agent: string;
  file: string;
  hosts: readonly string[];
}

export function loginsOf(agents: AgentSetting | undefined): NamedLogin[] {
  return [...(agents?.programs.values() ?? [])].flatMap(({ name, login }) =>
    login === undefined ? [] : [{ agent: name, file: login.file, hosts: login.hosts }],
  );
}

/** Nothing that such an agent uses passes through here, so that no limit in dollars can be kept. */
export function loginProblems(
  manifest: Manifest,
  named: ReadonlyMap<string, readonly string[]>,
  { ownLogins, file }: AgentSettings,
  maxCostUsd: number | undefined,
): { problem: AgentProblem; streams: readonly string[] }[] {
  const problems: { problem: AgentProblem; streams: readonly string[] }[] = [];
  for (const [name, streams] of named) {
    if (!ownLogins.has(name)) continue;
    const capped = streams.filter((id) => manifest.streams.get(id)?.maxCostUsd !== undefined);
    const limited = maxCostUsd === undefined ? capped : streams;
    const limit = maxCostUsd === undefined ? 'maxCostUsd' : '--max-cost';
    const code = 'AGENT_LOGIN';
    if (limited.length > 0) {
      const message = `${name} works with your own login, and Millrace cannot limit what that costs (${limit}).`;
      const hint = `Leave out ${limit}, or take "auth: own" out of ${file}.`;
      problems.push({ streams: limited, problem: { code, message, hint } });
    }
    const reaching = streams.filter((id) => {
      const network = manifest.streams.get(id)?.network ?? manifest.network;
      return network !== undefined && typeof network !== 'string';
    });
    if (reaching.length > 0) {
      const message = `${name} works with your own login, and may then reach only its vendor, no hosts of a manifest.`;
      const hint = `Leave out "network", or take "auth: own" out of ${file}.`;
      problems.push({ streams: reaching, problem: { code, message, hint } });
    }
  }
  return problems;
}

/** Throws before anything is spent. */
export function checkLogins(...about: Parameters<typeof loginProblems>): void {
  const [first] = loginProblems(...about);
  if (first === undefined) return;
  const { code, message, hint } = first.problem;
  throw new CommandError({
    code,
    message: plain(`${first.streams.join(', ')}: ${message}`),
    hint: plain(hint),
  });
}
