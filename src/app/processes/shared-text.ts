// The text of running jobs, for readers in another process than the worker: each delta is sent over the
// link as it comes, as long as a reader follows the job. Without this they would read it from the table,
// four times a second, as readers on other machines do; and they still do whenever a line was lost or a
// process ended, because positions in both are the same.
import type { TextFeed } from '../../store/jobs/text-feed.ts';
import type { Link } from './link.ts';

/** From a worker that says nothing for so long the table may know more, if another one has the job. */
const STALE_MS = 10_000;

interface Heard {
  from: string;
  generation: number;
  text: string;
  at: number;
}

interface TextLine {
  from: string;
  jobId: string;
  generation: number;
  offset: number;
  delta: string;
}

/** Sets by key; a key without members is not kept. */
function createGroups<T>() {
  const groups = new Map<string, Set<T>>();
  return {
    get: (key: string): Iterable<T> => groups.get(key) ?? [],
    has: (key: string) => groups.has(key),
    keys: () => [...groups.keys()],
    add(key: string, member: T): void {
      groups.set(key, (groups.get(key) ?? new Set()).add(member));
    },
    delete(key: string, member: T): void {
      const group = groups.get(key);
      group?.delete(member);
      if (group?.size === 0) groups.delete(key);
    },
  };
}

export function shareText(feed: TextFeed, link: Link, self: string, now: () => number): TextFeed {
  /** Siblings that follow a job; we may be the one that runs it. */
  const followedBy = createGroups<string>();
  const followers = createGroups<() => void>();
  const heard = new Map<string, Heard>();

  const send = (kind: string, jobId: string) => link.send(kind, `${self},${jobId}`);
  const onMessage = (kind: string, handle: (from: string, jobId: string) => void) =>
    link.on(kind, (payload) => {
      const [from = '', jobId = ''] = payload.split(',');
      handle(from, jobId);
    });

  function sendText(jobId: string, generation: number, offset: number, delta: string): void {
    const line: TextLine = { from: self, jobId, generation, offset, delta };
    link.send('text', JSON.stringify(line));
  }

  function hear({ from, jobId, generation, offset, delta }: TextLine): void {
    if (!followers.has(jobId)) return;
    const known = heard.get(jobId);
    const isNext = known?.generation === generation && known.text.length === offset;
    if (isNext) {
      known.text += delta;
      known.at = now();
    } else if (offset === 0) heard.set(jobId, { from, generation, text: delta, at: now() });
    else {
      // A line is missing. The process that runs the job sends all of its text again.
      heard.delete(jobId);
      send('follow', jobId);
      return;
    }
    for (const handler of followers.get(jobId)) handler();
  }

  onMessage('follow', (from, jobId) => {
    followedBy.add(jobId, from);
    const text = feed.current(jobId);
    if (text) sendText(jobId, text.generation, 0, text.text);
  });
  onMessage('unfollow', (from, jobId) => followedBy.delete(jobId, from));
  onMessage('text-end', (_from, jobId) => heard.delete(jobId));
  link.on('text', (payload) => hear(JSON.parse(payload) as TextLine));
  link.on('joined', () => {
    for (const jobId of followers.keys()) send('follow', jobId);
  });
  link.on('left', (name) => {
    for (const jobId of followedBy.keys()) followedBy.delete(jobId, name);
    for (const [jobId, { from }] of heard) if (from === name) heard.delete(jobId);
  });

  return {
    ...feed,
    append(jobId, generation, delta) {
      const before = feed.current(jobId);
      const offset = before?.generation === generation ? before.text.length : 0;
      feed.append(jobId, generation, delta);
      if (followedBy.has(jobId)) sendText(jobId, generation, offset, delta);
    },
    end(jobId) {
      feed.end(jobId);
      if (followedBy.has(jobId)) send('text-end', jobId);
    },
    current(jobId) {
      const text = heard.get(jobId);
      if (text !== undefined && now() - text.at > STALE_MS) heard.delete(jobId);
      return feed.current(jobId) ?? heard.get(jobId);
    },
    follow(jobId, handler) {
      const off = feed.follow(jobId, handler);
      if (!followers.has(jobId)) send('follow', jobId);
      followers.add(jobId, handler);
      return () => {
        off();
        followers.delete(jobId, handler);
        if (followers.has(jobId)) return;
        heard.delete(jobId);
        send('unfollow', jobId);
      };
    },
  };
}
