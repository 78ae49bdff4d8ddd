// Events as the forges send them, with the fields around those that are read.

export const REPOSITORY = 'example/shop';

const repository = {
  id: 7,
  name: 'shop',
  full_name: REPOSITORY,
  private: true,
  html_url: `https://github.com/${REPOSITORY}`,
  default_branch: 'main',
};
const sender = { login: 'octocat', id: 1, type: 'User', site_admin: false };

export const issue = {
  number: 12,
  title: 'The search finds nothing',
  body: 'It finds nothing for "a b".',
  html_url: `https://github.com/${REPOSITORY}/issues/12`,
  state: 'open',
  user: sender,
  labels: [{ name: 'bug' }, { name: 'agent' }],
};

export const githubLabelled = (more: object = {}) => ({
  action: 'labeled',
  issue,
  label: { id: 3, name: 'agent', color: 'd73a4a' },
  repository,
  sender,
  ...more,
});

export const githubComment = (body: string, more: object = {}) => ({
  action: 'created',
  issue: { ...issue, pull_request: { url: 'https://api.github.com/x' } },
  comment: { id: 99, body, user: sender, html_url: `${issue.html_url}#issuecomment-99` },
  repository,
  sender,
  ...more,
});

export const SHA = 'a'.repeat(40);

export const githubPush = (branch: string, more: object = {}) => ({
  ref: `refs/heads/${branch}`,
  before: 'b'.repeat(40),
  after: SHA,
  created: false,
  deleted: false,
  commits: [
    { id: SHA, message: 'Search', added: ['src/a.ts'], modified: ['docs/x.md'], removed: [] },
  ],
  head_commit: { id: SHA, message: 'Search' },
  pusher: { name: 'octocat' },
  repository,
  sender,
  ...more,
});

export const githubWorkflow = (more: object = {}) => ({
  action: 'completed',
  workflow_run: {
    name: 'CI',
    conclusion: 'failure',
    head_branch: 'search',
    head_sha: SHA,
    html_url: `https://github.com/${REPOSITORY}/actions/runs/5`,
    head_repository: { full_name: REPOSITORY },
    actor: { login: 'octocat', type: 'User' },
    ...more,
  },
  repository,
  sender: { login: 'github-actions[bot]', type: 'Bot' },
});

export const githubCheckRun = (more: object = {}) => ({
  action: 'completed',
  check_run: {
    name: 'unit',
    conclusion: 'failure',
    head_sha: SHA,
    html_url: `https://github.com/${REPOSITORY}/runs/5`,
    check_suite: { head_branch: 'search' },
    ...more,
  },
  repository,
  sender,
});

export const githubReview = (state: string, more: object = {}) => ({
  action: 'submitted',
  review: { id: 8, body: 'Please test it.', state, user: sender },
  pull_request: {
    ...issue,
    head: { ref: 'search', sha: SHA, repo: { full_name: REPOSITORY } },
    ...more,
  },
  repository,
  sender,
});

const project = {
  id: 5,
  name: 'shop',
  path_with_namespace: REPOSITORY,
  web_url: `https://gitlab.com/${REPOSITORY}`,
};
const user = { id: 1, name: 'Octo Cat', username: 'octocat' };

export const gitlabLabelled = (more: object = {}) => ({
  object_kind: 'issue',
  event_type: 'issue',
  user,
  project,
  object_attributes: {
    id: 301,
    iid: 12,
    title: 'The search finds nothing',
    description: 'It finds nothing.',
    url: `https://gitlab.com/${REPOSITORY}/-/issues/12`,
    action: 'update',
  },
  labels: [{ title: 'bug' }, { title: 'agent' }],
  changes: {
    labels: { previous: [{ title: 'bug' }], current: [{ title: 'bug' }, { title: 'agent' }] },
  },
  ...more,
});

export const gitlabNote = (note: string, more: object = {}) => ({
  object_kind: 'note',
  user,
  project,
  object_attributes: {
    id: 1,
    note,
    noteable_type: 'Issue',
    action: 'create',
    url: `https://gitlab.com/${REPOSITORY}/-/issues/12#note_1`,
    ...more,
  },
  issue: { iid: 12, title: 'The search finds nothing', description: null },
});

export const gitlabPush = (branch: string) => ({
  object_kind: 'push',
  ref: `refs/heads/${branch}`,
  before: 'b'.repeat(40),
  after: SHA,
  user_id: 1,
  user_username: 'octocat',
  project,
  commits: [{ id: SHA, message: 'Search', added: ['src/a.ts'], modified: [], removed: [] }],
});

export const gitlabPipeline = (more: object = {}) => ({
  object_kind: 'pipeline',
  user,
  project,
  object_attributes: {
    id: 31,
    name: null,
    ref: 'search',
    tag: false,
    sha: SHA,
    status: 'failed',
    url: `https://gitlab.com/${REPOSITORY}/-/pipelines/31`,
    ...more,
  },
  merge_request: null,
});
