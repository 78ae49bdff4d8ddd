// What reviewers said on GitHub, and answers to it.
import { isMarked, marked, readCommentText } from './comment-text.ts';
import type { ForgeApi } from './forge-api.ts';
import { ForgeError } from './forge.ts';
import type { FailedCheck, Forge, RequestComment, SubmittedReview } from './forge.ts';

interface User {
  login: string;
}

interface Review {
  id: number;
  /** Nobody for an account that is gone. */
  user: User | null;
  body: string | null;
  state: string;
}

interface Comment {
  id: number;
  pull_request_review_id: number | null;
  user: User | null;
  body: string;
  path: string;
  original_commit_id: string;
  original_line?: number | null;
  original_start_line?: number | null;
  side?: 'LEFT' | 'RIGHT';
}

interface CheckRun {
  id: number;
  name: string;
  status: string;
  conclusion: string | null;
  html_url: string | null;
  app: { slug?: string } | null;
  output: { title: string | null; summary: string | null; text: string | null };
}

interface Threads {
  data?: {
    repository?: {
      pullRequest?: {
        reviewThreads: {
          nodes: { isResolved: boolean; comments: { nodes: { databaseId: number | null }[] } }[];
          pageInfo: { hasNextPage: boolean; endCursor: string | null };
        };
      } | null;
    } | null;
  };
}

const THREADS = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes { isResolved comments(first: 100) { nodes { databaseId } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;

const GONE = 'ghost';
/** Words of these ask for something; those of an approval do not. */
const ASKS = new Set(['CHANGES_REQUESTED', 'COMMENTED']);
const FAILED = new Set(['failure', 'timed_out']);

const isStatus = (error: unknown, ...statuses: number[]) =>
  error instanceof ForgeError && statuses.includes(error.status ?? 0);

function toComment(comment: Comment): RequestComment {
  const { text, suggestion } = readCommentText(comment.body);
  const { path, original_commit_id: commit, original_line: last } = comment;
  const first = comment.original_start_line ?? last;
  return {
    id: String(comment.id),
    author: comment.user?.login ?? GONE,
    text,
    ...(suggestion !== undefined && { suggestion }),
    place: {
      path,
      side: comment.side === 'LEFT' ? 'old' : 'new',
      ...(last != null && { lines: [first!, last] }),
      commit,
    },
  };
}

type ReviewCalls = Pick<Forge, 'reviews' | 'mayWrite' | 'answer' | 'say' | 'said' | 'failedChecks'>;

export function githubReviews(
  api: ForgeApi,
  { repo, owner, name, graphql }: { repo: string; owner: string; name: string; graphql: string },
): ReviewCalls {
  /** Their other interface does not tell. */
  async function resolvedComments(number: number): Promise<Set<string>> {
    const resolved = new Set<string>();
    for (let after: string | null = null; ;) {
      const variables: Record<string, unknown> = { owner, name, number, after };
      const { data }: Threads = await api.send('POST', graphql, { query: THREADS, variables });
      const threads = data?.repository?.pullRequest?.reviewThreads;
      for (const { isResolved, comments } of threads?.nodes ?? []) {
        if (!isResolved) continue;
        for (const { databaseId } of comments.nodes) resolved.add(String(databaseId));
      }
      if (threads?.pageInfo.hasNextPage !== true) return resolved;
      after = threads.pageInfo.endCursor;
    }
  }

  const comments = (number: number) => api.list<Comment>(`${repo}/pulls/${number}/comments`);
  const words = (number: number) =>
    api.list<{ body?: string }>(`${repo}/issues/${number}/comments`);

  /** What a check of theirs printed; of another's, what it says about itself. */
  async function logOf({ id, app, output }: CheckRun): Promise<string | undefined> {
    if (app?.slug === 'github-actions') {
      try {
        return await api.tail(`${repo}/actions/jobs/${id}/logs`);
      } catch (error) {
        // Logs go after some time, and not every token may read them.
        if (!isStatus(error, 403, 404, 410)) throw error;
      }
    }
    const said = [output.title, output.summary, output.text].filter(Boolean).join('\n\n');
    return said === '' ? undefined : said;
  }

  return {
    async reviews(number) {
      const [listed, all, resolved] = await Promise.all([
        api.list<Review>(`${repo}/pulls/${number}/reviews`),
        comments(number),
        resolvedComments(number),
      ]);
      const found: SubmittedReview[] = [];
      for (const { id, user, body, state } of listed) {
        if (state === 'DISMISSED' || state === 'PENDING') continue;
        const author = user?.login ?? GONE;
        const inline = all.filter(
          (one) =>
            one.pull_request_review_id === id &&
            !isMarked(one.body) &&
            !resolved.has(String(one.id)),
        );
        const { text } = readCommentText(body ?? '');
        const whole = text !== '' && ASKS.has(state) ? [{ id: `review-${id}`, author, text }] : [];
        const asked = [...whole, ...inline.map(toComment)];
        if (asked.length > 0) found.push({ id: String(id), author, comments: asked });
      }
      return found;
    },
    async mayWrite(author) {
      if (author === GONE) return false;
      try {
        const path = `${repo}/collaborators/${encodeURIComponent(author)}/permission`;
        const { permission } = await api.get<{ permission: string }>(path);
        return permission === 'admin' || permission === 'write';
      } catch (error) {
        if (isStatus(error, 404)) return false;
        throw error;
      }
    },
    async answer(number, { id, place }, text) {
      const body = marked(text);
      if (place === undefined) {
        await api.send('POST', `${repo}/issues/${number}/comments`, { body });
        return;
      }
      await api.send('POST', `${repo}/pulls/${number}/comments/${id}/replies`, { body });
    },
    async say(number, text) {
      await api.send('POST', `${repo}/issues/${number}/comments`, { body: marked(text) });
    },
    async said(number) {
      const [inline, whole] = await Promise.all([comments(number), words(number)]);
      const bodies = [...inline, ...whole].map(({ body }) => body ?? '');
      return bodies.filter(isMarked);
    },
    async failedChecks(commit) {
      const path = `${repo}/commits/${commit}/check-runs?per_page=100&filter=latest`;
      const { check_runs: runs } = await api.get<{ check_runs: CheckRun[] }>(path);
      const failed: FailedCheck[] = [];
      for (const run of runs) {
        if (!FAILED.has(run.conclusion ?? '')) continue;
        failed.push({ name: run.name, url: run.html_url ?? undefined, log: await logOf(run) });
      }
      return failed;
    },
  };
}
