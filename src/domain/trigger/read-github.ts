// Events of GitHub. Only what is needed is read, so that a field that GitHub adds or changes elsewhere does no harm.
import { z } from 'zod';
import { OWN_COMMENT_MARK } from '../../contract/own-comment.ts';
import { commandIn } from './command.ts';
import type { ReadEvent, TriggerEvent } from './event.ts';
import { plainLine, plainText } from './plain-text.ts';

const text = z.string().nullish();
const Base = z.looseObject({
  action: text,
  repository: z.looseObject({ full_name: z.string(), html_url: text }),
  sender: z.looseObject({ login: z.string(), type: text }),
});
const Issue = z.looseObject({
  number: z.number().int(),
  title: z.string(),
  body: text,
  html_url: text,
});
const Labelled = z.looseObject({ issue: Issue, label: z.looseObject({ name: z.string() }) });
const Commented = z.looseObject({ issue: Issue, comment: z.looseObject({ body: z.string() }) });
const Pushed = z.looseObject({
  ref: z.string(),
  after: z.string(),
  deleted: z.boolean().nullish(),
  head_commit: z.looseObject({ message: text }).nullish(),
  commits: z
    .array(
      z.looseObject({
        added: z.array(z.string()).nullish(),
        modified: z.array(z.string()).nullish(),
        removed: z.array(z.string()).nullish(),
      }),
    )
    .nullish(),
});
const Checked = z.looseObject({
  check_run: z.looseObject({
    name: z.string(),
    conclusion: text,
    head_sha: z.string(),
    html_url: text,
    check_suite: z.looseObject({ head_branch: text }).nullish(),
  }),
});
const Flowed = z.looseObject({
  workflow_run: z.looseObject({
    name: text,
    conclusion: text,
    head_branch: text,
    head_sha: z.string(),
    html_url: text,
    head_repository: z.looseObject({ full_name: z.string() }).nullish(),
    actor: z.looseObject({ login: z.string(), type: text }).nullish(),
  }),
});
const Reviewed = z.looseObject({
  review: z.looseObject({ body: text, state: z.string() }),
  pull_request: Issue.extend({
    head: z.looseObject({
      ref: z.string(),
      sha: z.string(),
      repo: z.looseObject({ full_name: z.string() }).nullish(),
    }),
  }),
});

const FAILED = new Set(['failure', 'timed_out', 'startup_failure']);
export const MOST_PATHS = 3000;
export const OWN_BRANCH = /^millrace\//;
const SHA = /^[0-9a-f]{40,64}$/;

export const shaOf = (value: string) => (SHA.test(value) ? value : '');

function issueValues(issue: z.infer<typeof Issue>): Record<string, string> {
  return {
    'issue.number': String(issue.number),
    'issue.title': plainLine(issue.title),
    'issue.body': plainText(issue.body ?? ''),
    'issue.url': plainLine(issue.html_url ?? ''),
  };
}

function hostOf(url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url)) return null;
  const { host } = new URL(url);
  return host === 'github.com' ? null : host;
}

type Partly = Partial<TriggerEvent> & Pick<TriggerEvent, 'name'>;

/** Undefined: an event of this name that no trigger is for. Throws what zod throws. */
function read(said: string, body: unknown, action: string): Partly | undefined {
  if (said === 'issues' && action === 'labeled') {
    const { issue, label } = Labelled.parse(body);
    const name = plainLine(label.name);
    return {
      name: 'issue_labeled',
      labels: [name],
      values: { ...issueValues(issue), 'issue.label': name },
    };
  }
  if (said === 'issue_comment' && action === 'created') {
    const { issue, comment } = Commented.parse(body);
    const words = plainText(comment.body);
    const command = commandIn(words);
    return {
      name: 'comment',
      isOwn: comment.body.includes(OWN_COMMENT_MARK),
      values: {
        ...issueValues(issue),
        'comment.body': words,
        'comment.command': command?.word ?? '',
        'comment.arguments': command?.rest ?? '',
      },
    };
  }
  if (said === 'push') {
    const { ref, after, deleted, head_commit: head, commits } = Pushed.parse(body);
    if (deleted || !ref.startsWith('refs/heads/')) return undefined;
    const branch = plainLine(ref.slice('refs/heads/'.length));
    const paths = (commits ?? [])
      .flatMap(({ added, modified, removed }) => [
        ...(added ?? []),
        ...(modified ?? []),
        ...(removed ?? []),
      ])
      .slice(0, MOST_PATHS);
    return {
      name: 'push',
      branch,
      paths,
      isOwn: OWN_BRANCH.test(branch),
      values: {
        'push.branch': branch,
        'push.sha': shaOf(after),
        'push.message': plainText(head?.message ?? ''),
      },
    };
  }
  if (said === 'check_run' && action === 'completed') {
    const { check_run: run } = Checked.parse(body);
    if (!FAILED.has(run.conclusion ?? '')) return undefined;
    // GitHub leaves out the branch of a fork.
    const branch = run.check_suite?.head_branch ?? null;
    return checkOf({ ...run, branch, isFork: branch === null });
  }
  if (said === 'workflow_run' && action === 'completed') {
    const { workflow_run: run } = Flowed.parse(body);
    if (!FAILED.has(run.conclusion ?? '')) return undefined;
    const { repository } = Base.parse(body);
    const home = run.head_repository?.full_name;
    const check = checkOf({
      ...run,
      name: run.name ?? '',
      branch: run.head_branch ?? null,
      isFork: home?.toLowerCase() !== repository.full_name.toLowerCase(),
    });
    return run.actor ? { ...check, actor: plainLine(run.actor.login) } : check;
  }
  if (said === 'pull_request_review' && action === 'submitted') {
    const { review, pull_request: request } = Reviewed.parse(body);
    if (review.state.toLowerCase() !== 'changes_requested') return undefined;
    const { repository } = Base.parse(body);
    const branch = plainLine(request.head.ref);
    const home = request.head.repo?.full_name;
    return {
      name: 'review',
      branch,
      isOwn: (review.body ?? '').includes(OWN_COMMENT_MARK),
      isFork: home?.toLowerCase() !== repository.full_name.toLowerCase(),
      values: {
        ...issueValues(request),
        'review.body': plainText(review.body ?? ''),
        'review.branch': branch,
        'review.sha': shaOf(request.head.sha),
      },
    };
  }
  return undefined;
}

function checkOf(run: {
  name: string;
  head_sha: string;
  html_url?: string | null | undefined;
  branch: string | null;
  isFork: boolean;
}): Partly {
  const branch = run.branch === null ? null : plainLine(run.branch);
  return {
    name: 'check_failed',
    branch,
    isFork: run.isFork,
    isOwn: branch !== null && OWN_BRANCH.test(branch),
    values: {
      'check.name': plainLine(run.name),
      'check.branch': branch ?? '',
      'check.sha': shaOf(run.head_sha),
      'check.url': plainLine(run.html_url ?? ''),
    },
  };
}

/** `said`: the header X-GitHub-Event. */
export function readGithub(said: string, body: unknown): ReadEvent {
  if (said === 'ping') return { kind: 'ignored', reason: 'ping', said };
  const base = Base.safeParse(body);
  if (!base.success) return { kind: 'ignored', reason: 'unreadable', said };
  const { repository, sender, action } = base.data;
  let found: Partly | undefined;
  try {
    found = read(said, body, action ?? '');
  } catch {
    return { kind: 'ignored', reason: 'unreadable', said };
  }
  const event: TriggerEvent = {
    said,
    repository: plainLine(repository.full_name),
    host: hostOf(repository.html_url),
    actor: plainLine(sender.login),
    isBot: sender.type === 'Bot' || sender.login.endsWith('[bot]'),
    isOwn: false,
    isFork: false,
    labels: [],
    branch: null,
    paths: [],
    values: {},
    ...(found ?? { name: null }),
  };
  return { kind: 'event', event };
}
