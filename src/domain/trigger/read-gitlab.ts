// Events of GitLab. Only what is needed is read.
import { z } from 'zod';
import { OWN_COMMENT_MARK } from '../../contract/own-comment.ts';
import { commandIn } from './command.ts';
import type { ReadEvent, TriggerEvent } from './event.ts';
import { plainLine, plainText } from './plain-text.ts';
import { MOST_PATHS, OWN_BRANCH, shaOf } from './read-github.ts';

const text = z.string().nullish();
const Base = z.looseObject({
  object_kind: z.string(),
  project: z.looseObject({ path_with_namespace: z.string(), web_url: text }),
  user: z.looseObject({ username: z.string() }).nullish(),
  user_username: text,
});
const Label = z.looseObject({ title: z.string() });
const Labels = z.array(Label).nullish();
const Labelled = z.looseObject({
  object_attributes: z.looseObject({
    iid: z.number().int(),
    title: z.string(),
    description: text,
    url: text,
    action: text,
  }),
  labels: Labels,
  changes: z
    .looseObject({ labels: z.looseObject({ previous: Labels, current: Labels }).nullish() })
    .nullish(),
});
const Thing = z.looseObject({ iid: z.number().int(), title: z.string(), description: text });
const Noted = z.looseObject({
  object_attributes: z.looseObject({ note: z.string(), url: text, action: text }),
  issue: Thing.nullish(),
  merge_request: Thing.nullish(),
});
const Pushed = z.looseObject({
  ref: z.string(),
  after: z.string(),
  commits: z
    .array(
      z.looseObject({
        message: text,
        added: z.array(z.string()).nullish(),
        modified: z.array(z.string()).nullish(),
        removed: z.array(z.string()).nullish(),
      }),
    )
    .nullish(),
});
const Piped = z.looseObject({
  object_attributes: z.looseObject({
    status: z.string(),
    ref: z.string(),
    sha: z.string(),
    tag: z.boolean().nullish(),
    url: text,
    name: text,
  }),
  merge_request: z
    .looseObject({
      source_project_id: z.number().nullish(),
      target_project_id: z.number().nullish(),
    })
    .nullish(),
});

const DELETED = /^0+$/;
/** Accounts that GitLab makes for access tokens of projects and groups. */
const BOT = /^(?:project|group)_\d+_bot/;

type Partly = Partial<TriggerEvent> & Pick<TriggerEvent, 'name'>;

function thingValues(
  thing: { iid: number; title: string; description?: string | null | undefined },
  url: string | null | undefined,
): Record<string, string> {
  return {
    'issue.number': String(thing.iid),
    'issue.title': plainLine(thing.title),
    'issue.body': plainText(thing.description ?? ''),
    'issue.url': plainLine(url ?? ''),
  };
}

function labelled(body: unknown): Partly | undefined {
  const { object_attributes: issue, labels, changes } = Labelled.parse(body);
  const before = new Set((changes?.labels?.previous ?? []).map(({ title }) => title));
  const now = changes?.labels?.current ?? (issue.action === 'open' ? labels : []) ?? [];
  const added = now.map(({ title }) => title).filter((title) => !before.has(title));
  if (added.length === 0) return undefined;
  const names = added.slice(0, 50).map((name) => plainLine(name));
  return {
    name: 'issue_labeled',
    labels: names,
    values: { ...thingValues(issue, issue.url), 'issue.label': names[0]! },
  };
}

function noted(body: unknown): Partly | undefined {
  const { object_attributes: comment, issue, merge_request: request } = Noted.parse(body);
  const about = issue ?? request;
  // Edits come as comments, too.
  if (!about || (comment.action ?? 'create') !== 'create') return undefined;
  const words = plainText(comment.note);
  const command = commandIn(words);
  return {
    name: 'comment',
    isOwn: comment.note.includes(OWN_COMMENT_MARK),
    values: {
      ...thingValues(about, comment.url),
      'comment.body': words,
      'comment.command': command?.word ?? '',
      'comment.arguments': command?.rest ?? '',
    },
  };
}

function pushed(body: unknown): Partly | undefined {
  const { ref, after, commits } = Pushed.parse(body);
  if (!ref.startsWith('refs/heads/') || DELETED.test(after)) return undefined;
  const branch = plainLine(ref.slice('refs/heads/'.length));
  const paths = (commits ?? [])
    .flatMap((one) => [...(one.added ?? []), ...(one.modified ?? []), ...(one.removed ?? [])])
    .slice(0, MOST_PATHS);
  return {
    name: 'push',
    branch,
    paths,
    isOwn: OWN_BRANCH.test(branch),
    values: {
      'push.branch': branch,
      'push.sha': shaOf(after),
      'push.message': plainText(commits?.at(-1)?.message ?? ''),
    },
  };
}

function piped(body: unknown): Partly | undefined {
  const { object_attributes: pipeline, merge_request: request } = Piped.parse(body);
  if (pipeline.status !== 'failed' || pipeline.tag === true) return undefined;
  const branch = plainLine(pipeline.ref);
  return {
    name: 'check_failed',
    branch,
    isFork: !!request && request.source_project_id !== request.target_project_id,
    isOwn: OWN_BRANCH.test(branch),
    values: {
      'check.name': plainLine(pipeline.name ?? 'pipeline'),
      'check.branch': branch,
      'check.sha': shaOf(pipeline.sha),
      'check.url': plainLine(pipeline.url ?? ''),
    },
  };
}

const READERS: Readonly<Record<string, (body: unknown) => Partly | undefined>> = {
  issue: labelled,
  note: noted,
  push: pushed,
  pipeline: piped,
};

function hostOf(url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url)) return null;
  const { host } = new URL(url);
  return host === 'gitlab.com' ? null : host;
}

export function readGitlab(body: unknown): ReadEvent {
  const base = Base.safeParse(body);
  if (!base.success) return { kind: 'ignored', reason: 'unreadable', said: 'unknown' };
  const { object_kind: kind, project, user, user_username: pusher } = base.data;
  const said = plainLine(kind, 50);
  const actor = user?.username ?? pusher ?? null;
  let found: Partly | undefined;
  try {
    found = Object.hasOwn(READERS, kind) ? READERS[kind]!(body) : undefined;
  } catch {
    return { kind: 'ignored', reason: 'unreadable', said };
  }
  const event: TriggerEvent = {
    said,
    repository: plainLine(project.path_with_namespace),
    host: hostOf(project.web_url),
    actor: actor === null ? null : plainLine(actor),
    isBot: actor !== null && BOT.test(actor),
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
