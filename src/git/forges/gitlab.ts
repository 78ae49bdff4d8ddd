import { ForgeError } from './forge.ts';
import type { Check, Forge, PullRequest } from './forge.ts';
import { createForgeApi } from './forge-api.ts';
import type { ForgeApiOptions } from './forge-api.ts';
import { gitlabReviews } from './gitlab-reviews.ts';

interface MergeRequest {
  iid: number;
  web_url: string;
  title: string;
  state: 'opened' | 'closed' | 'locked' | 'merged';
  draft: boolean;
  reviewers?: { id: number }[];
  sha: string;
  source_branch: string;
  target_branch: string;
}

interface Status {
  name: string;
  status: string;
  allow_failure?: boolean;
  target_url: string | null;
}

const STATES = { opened: 'open', locked: 'open', closed: 'closed', merged: 'merged' } as const;

const toRequest = (request: MergeRequest): PullRequest => ({
  number: request.iid,
  url: request.web_url,
  title: request.title,
  state: STATES[request.state],
  isDraft: request.draft,
  head: request.source_branch,
  commit: request.sha,
  base: request.target_branch,
});

const PASSED = new Set(['success', 'skipped', 'manual']);

function stateOf({ status, allow_failure: mayFail }: Status): Check['state'] {
  if (PASSED.has(status)) return 'passed';
  if (status !== 'failed' && status !== 'canceled') return 'running';
  return mayFail === true ? 'passed' : 'failed';
}

/** Its own sign of one that is not ready. */
const titleOf = (title: string, isDraft: boolean) =>
  isDraft && !/^draft:/i.test(title) ? `Draft: ${title}` : title;

/** `path`: group/name, groups may be nested. */
export function createGitlab(
  { path, token }: { path: string; token: string },
  options: Omit<ForgeApiOptions, 'headers'>,
): Forge {
  const headers = { 'private-token': token, 'user-agent': 'millrace' };
  const api = createForgeApi({ ...options, headers });
  const project = `/projects/${encodeURIComponent(path)}`;

  async function find(head: string): Promise<PullRequest | undefined> {
    const query = new URLSearchParams({ source_branch: head, state: 'opened' });
    const [found] = await api.get<MergeRequest[]>(`${project}/merge_requests?${query.toString()}`);
    return found && toRequest(found);
  }

  const at = (number: number) => api.get<MergeRequest>(`${project}/merge_requests/${number}`);

  async function idOf(name: string): Promise<number> {
    const query = new URLSearchParams({ username: name });
    const [user] = await api.get<{ id: number }[]>(`/users?${query.toString()}`);
    if (user !== undefined) return user.id;
    throw new ForgeError(`There is no user "${name}".`, {
      status: 404,
      hint: 'Name reviewers by their user names.',
    });
  }

  return {
    ...gitlabReviews(api, project),
    kind: 'gitlab',
    word: 'merge request',
    sign: '!',
    longestBody: 1_048_576,
    find,
    defaultBranch: async () => (await api.get<{ default_branch: string }>(project)).default_branch,
    get: async (number) => toRequest(await at(number)),
    async open({ head, base, title, body, isDraft }) {
      const asked = {
        source_branch: head,
        target_branch: base,
        title: titleOf(title, isDraft),
        description: body,
      };
      try {
        return toRequest(await api.send<MergeRequest>('POST', `${project}/merge_requests`, asked));
      } catch (error) {
        const isTaken = error instanceof ForgeError && error.status === 409;
        const found = isTaken ? await find(head) : undefined;
        if (found === undefined) throw error;
        return found;
      }
    },
    async update(number, { title, body, base }) {
      const isDraft = title !== undefined && (await at(number)).draft;
      const change = {
        ...(title !== undefined && { title: titleOf(title, isDraft) }),
        description: body,
        ...(base !== undefined && { target_branch: base }),
      };
      const path = `${project}/merge_requests/${number}`;
      return toRequest(await api.send<MergeRequest>('PUT', path, change));
    },
    async askReviewers(number, names) {
      // The list is set as a whole: those whom others have asked stay in it.
      const { reviewers = [] } = await at(number);
      const ids = new Set(reviewers.map(({ id }) => id));
      for (const name of names) ids.add(await idOf(name));
      await api.send('PUT', `${project}/merge_requests/${number}`, { reviewer_ids: [...ids] });
    },
    async checks(commit) {
      const listed = await api.list<Status>(`${project}/repository/commits/${commit}/statuses`);
      return listed.map((status) => ({
        name: status.name,
        state: stateOf(status),
        url: status.target_url ?? undefined,
      }));
    },
  };
}
