import { ForgeError } from './forge.ts';
import type { Check, Forge, PullRequest } from './forge.ts';
import { createForgeApi } from './forge-api.ts';
import type { ForgeApiOptions } from './forge-api.ts';
import { githubReviews } from './github-reviews.ts';

interface Pull {
  number: number;
  html_url: string;
  title: string;
  state: 'open' | 'closed';
  draft?: boolean;
  merged_at: string | null;
  head: { ref: string; sha: string };
  base: { ref: string };
}

interface CheckRun {
  name: string;
  status: string;
  conclusion: string | null;
  html_url: string | null;
}

interface Status {
  context: string;
  state: 'error' | 'failure' | 'pending' | 'success';
  target_url: string | null;
}

const toPull = (pull: Pull): PullRequest => ({
  number: pull.number,
  url: pull.html_url,
  title: pull.title,
  state: pull.merged_at !== null ? 'merged' : pull.state,
  isDraft: pull.draft === true,
  head: pull.head.ref,
  commit: pull.head.sha,
  base: pull.base.ref,
});

const PASSED = new Set(['success', 'neutral', 'skipped']);

function stateOf({ status, conclusion }: CheckRun): Check['state'] {
  if (status !== 'completed') return 'running';
  return PASSED.has(conclusion ?? '') ? 'passed' : 'failed';
}

const STATUS_STATES = {
  error: 'failed',
  failure: 'failed',
  pending: 'running',
  success: 'passed',
} as const;

/** `path`: owner/name. */
export function createGithub(
  { path, token }: { path: string; token: string },
  options: Omit<ForgeApiOptions, 'headers'>,
): Forge {
  const api = createForgeApi({
    ...options,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'millrace',
      'x-github-api-version': '2022-11-28',
    },
  });
  const repo = `/repos/${path.split('/').map(encodeURIComponent).join('/')}`;
  const [owner = '', name = ''] = path.split('/');
  // A host of one's own has it beside the third version of the other one.
  const graphql = options.url.endsWith('/api/v3') ? '/../graphql' : '/graphql';

  async function find(head: string): Promise<PullRequest | undefined> {
    const query = new URLSearchParams({ head: `${owner}:${head}`, state: 'open' });
    const [found] = await api.get<Pull[]>(`${repo}/pulls?${query.toString()}`);
    return found && toPull(found);
  }

  return {
    ...githubReviews(api, { repo, owner, name, graphql }),
    kind: 'github',
    word: 'pull request',
    sign: '#',
    longestBody: 65_536,
    find,
    defaultBranch: async () => (await api.get<{ default_branch: string }>(repo)).default_branch,
    get: async (number) => toPull(await api.get<Pull>(`${repo}/pulls/${number}`)),
    async open({ head, base, title, body, isDraft }) {
      try {
        const asked = { head, base, title, body, draft: isDraft };
        return toPull(await api.send<Pull>('POST', `${repo}/pulls`, asked));
      } catch (error) {
        const isTaken = error instanceof ForgeError && error.status === 422;
        const found = isTaken ? await find(head) : undefined;
        if (found === undefined) throw error;
        return found;
      }
    },
    update: async (number, change) =>
      toPull(await api.send<Pull>('PATCH', `${repo}/pulls/${number}`, change)),
    async askReviewers(number, names) {
      await api.send('POST', `${repo}/pulls/${number}/requested_reviewers`, { reviewers: names });
    },
    async checks(commit) {
      const [{ check_runs: runs }, { statuses }] = await Promise.all([
        api.get<{ check_runs: CheckRun[] }>(`${repo}/commits/${commit}/check-runs?per_page=100`),
        api.get<{ statuses: Status[] }>(`${repo}/commits/${commit}/status?per_page=100`),
      ]);
      return [
        ...runs.map((run) => ({
          name: run.name,
          state: stateOf(run),
          url: run.html_url ?? undefined,
        })),
        ...statuses.map(({ context, state, target_url: url }) => ({
          name: context,
          state: STATUS_STATES[state],
          url: url ?? undefined,
        })),
      ];
    },
  };
}
