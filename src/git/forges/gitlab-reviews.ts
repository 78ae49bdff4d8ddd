// What reviewers said on GitLab, and answers to it. A review has no id there: all that one person has said is one.
import { isMarked, marked, readCommentText } from './comment-text.ts';
import type { ForgeApi } from './forge-api.ts';
import { ForgeError } from './forge.ts';
import type { FailedCheck, Forge, RequestComment, SubmittedReview } from './forge.ts';

interface LinePlace {
  old_line: number | null;
  new_line: number | null;
}

interface Position extends LinePlace {
  position_type: 'text' | 'image' | 'file';
  old_path: string;
  new_path: string;
  base_sha: string;
  head_sha: string;
  line_range?: { start: LinePlace; end: LinePlace } | null;
}

interface Note {
  id: number;
  body: string;
  author: { id: number; username: string } | null;
  /** "added 1 commit" and the like. */
  system: boolean;
  resolvable: boolean;
  resolved?: boolean;
  position?: Position | null;
}

interface Discussion {
  id: string;
  /** Not part of a thread: a word in passing. */
  individual_note: boolean;
  notes: Note[];
}

interface Job {
  id: number;
  name: string;
  web_url: string;
  allow_failure: boolean;
}

const GONE = 'ghost';
const DEVELOPER = 30;

const isStatus = (error: unknown, ...statuses: number[]) =>
  error instanceof ForgeError && statuses.includes(error.status ?? 0);

function placeOf(
  position: Position,
  around: [number, number] | undefined,
): RequestComment['place'] {
  const { line_range: range, new_line: newLine, old_line: oldLine } = position;
  const side = newLine === null ? 'old' : 'new';
  const at = (place: LinePlace) => (side === 'new' ? place.new_line : place.old_line);
  const last = (range && at(range.end)) ?? newLine ?? oldLine;
  const first = (range && at(range.start)) ?? last;
  const [above, below] = around ?? [0, 0];
  return {
    path: side === 'new' ? position.new_path : position.old_path,
    side,
    ...(last !== null && { lines: [Math.max(1, first! - above), last + below] }),
    commit: position.head_sha,
  };
}

type ReviewCalls = Pick<Forge, 'reviews' | 'mayWrite' | 'answer' | 'say' | 'said' | 'failedChecks'>;

export function gitlabReviews(api: ForgeApi, project: string): ReviewCalls {
  const discussions = (number: number) =>
    api.list<Discussion>(`${project}/merge_requests/${number}/discussions`);

  async function userId(name: string): Promise<number | undefined> {
    const query = new URLSearchParams({ username: name });
    const [user] = await api.get<{ id: number }[]>(`/users?${query.toString()}`);
    return user?.id;
  }

  async function logOf({ id }: Job): Promise<string | undefined> {
    try {
      return (await api.tail(`${project}/jobs/${id}/trace`)) || undefined;
    } catch (error) {
      if (isStatus(error, 403, 404)) return undefined;
      throw error;
    }
  }

  return {
    async reviews(number) {
      const byAuthor = new Map<string, RequestComment[]>();
      for (const { id, individual_note: isInPassing, notes } of await discussions(number)) {
        if (isInPassing) continue;
        for (const note of notes) {
          if (note.system || note.resolved === true || isMarked(note.body)) continue;
          const author = note.author?.username ?? GONE;
          const { text, suggestion, around } = readCommentText(note.body);
          const { position } = note;
          const comment: RequestComment = {
            id: `${id}/${note.id}`,
            author,
            text,
            ...(suggestion !== undefined && { suggestion }),
            ...(position && { place: placeOf(position, around)! }),
          };
          byAuthor.set(author, [...(byAuthor.get(author) ?? []), comment]);
        }
      }
      return [...byAuthor].map(([author, comments]): SubmittedReview => ({
        id: comments[0]!.id,
        author,
        comments,
      }));
    },
    async mayWrite(author) {
      const id = author === GONE ? undefined : await userId(author);
      if (id === undefined) return false;
      try {
        const path = `${project}/members/all/${id}`;
        const member = await api.get<{ access_level: number; state: string }>(path);
        return member.state === 'active' && member.access_level >= DEVELOPER;
      } catch (error) {
        if (isStatus(error, 404)) return false;
        throw error;
      }
    },
    async answer(number, { id }, text) {
      const [discussion = ''] = id.split('/');
      const path = `${project}/merge_requests/${number}/discussions/${discussion}/notes`;
      await api.send('POST', path, { body: marked(text) });
    },
    async say(number, text) {
      await api.send('POST', `${project}/merge_requests/${number}/notes`, { body: marked(text) });
    },
    async said(number) {
      const all = (await discussions(number)).flatMap(({ notes }) => notes);
      return all.map(({ body }) => body).filter(isMarked);
    },
    async failedChecks(commit) {
      const query = new URLSearchParams({ sha: commit, order_by: 'id', sort: 'desc' });
      const [last] = await api.get<{ id: number }[]>(`${project}/pipelines?${query.toString()}`);
      if (last === undefined) return [];
      const jobs = await api.list<Job>(`${project}/pipelines/${last.id}/jobs?scope[]=failed`);
      const failed: FailedCheck[] = [];
      for (const job of jobs.filter((one) => !one.allow_failure)) {
        failed.push({ name: job.name, url: job.web_url, log: await logOf(job) });
      }
      return failed;
    },
  };
}
