import type { Answer, Answers, Asked, ForgeState, Request, Said } from './forge-double.ts';

const REPO = '/repos/o/r';
const NOT_FOUND: Answer = { status: 404, body: { message: 'Not Found' } };
const user = (login: string) => ({ login });

export function githubAnswers(forge: ForgeState): Answers {
  const shown = (request: Request) => ({
    number: request.number,
    html_url: `https://forge.example.com/o/r/pull/${request.number}`,
    title: request.title,
    state: request.state,
    draft: request.draft,
    body: request.body,
    merged_at: request.merged === true ? '2026-11-19T08:00:00Z' : null,
    head: { ref: request.head, sha: forge.tipOf(request.head) ?? '0'.repeat(40) },
    base: { ref: request.base },
    // Those of their example lack a field.
    requested_teams: [],
  });

  const wrong = (message: string): Answer => ({
    status: 422,
    body: {
      message: 'Validation Failed',
      documentation_url: 'https://docs.github.com/rest',
      errors: [{ resource: 'PullRequest', code: 'custom', message }],
    },
  });

  function open(body: Record<string, unknown>): Answer {
    const [head, base, text] = [body['head'], body['base'], body['body']] as string[];
    if (forge.tipOf(head!) === undefined) return wrong('head does not exist');
    if (forge.tipOf(base!) === undefined) return wrong('base does not exist');
    if (forge.requests.some((one) => one.head === head && one.state === 'open')) {
      return wrong(`A pull request already exists for o:${head}.`);
    }
    if (text!.length > 65_536) return wrong('body is too long (maximum is 65536 characters)');
    const request: Request = {
      number: forge.requests.length + 1,
      title: String(body['title']),
      body: text!,
      head: head!,
      base: base!,
      draft: body['draft'] === true,
      state: 'open',
      reviewers: [],
    };
    forge.requests.push(request);
    return { status: 201, body: shown(request) };
  }

  const comment = (one: Said) => ({
    id: one.id,
    pull_request_review_id: one.review,
    user: user(one.author),
    body: one.body,
    path: one.path!,
    original_commit_id: one.commit,
    commit_id: one.commit,
    line: one.line,
    original_line: one.line,
    start_line: one.startLine ?? null,
    original_start_line: one.startLine ?? null,
    start_side: one.startLine === undefined ? null : 'RIGHT',
    side: one.side ?? 'RIGHT',
    in_reply_to_id: one.replyTo ?? undefined,
  });

  function say(said: Omit<Said, 'id' | 'review' | 'author'>, review: number): Said {
    const one = { id: 1000 + forge.said.length, review, author: 'me', ...said };
    forge.said.push(one);
    return one;
  }

  function ofRequest(request: Request, more: string, { method, body }: Asked): Answer {
    if (more === '/requested_reviewers') {
      request.reviewers = body['reviewers'] as unknown[];
      return { status: 201, body: shown(request) };
    }
    if (more === '/reviews') {
      const listed = forge.reviews.map(({ author, ...one }) => ({ ...one, user: user(author) }));
      return { status: 200, body: listed };
    }
    if (more === '/comments') {
      const listed = forge.said.filter(({ path }) => path !== undefined);
      return { status: 200, body: listed.map(comment) };
    }
    const [, id] = /^\/comments\/(\d+)\/replies$/.exec(more) ?? [];
    if (id !== undefined) {
      const to = forge.said.find((one) => one.id === Number(id) && one.path !== undefined);
      if (to === undefined) return NOT_FOUND;
      const review = 500 + forge.reviews.length;
      forge.reviews.push({ id: review, author: 'me', body: '', state: 'COMMENTED' });
      const place = { path: to.path!, line: to.line!, commit: to.commit! };
      const made = say({ ...place, replyTo: to.id, body: String(body['body']) }, review);
      return { status: 201, body: comment(made) };
    }
    if (more !== '') return NOT_FOUND;
    if (method === 'PATCH') {
      if (typeof body['title'] === 'string') request.title = body['title'];
      if (typeof body['body'] === 'string') request.body = body['body'];
      if (typeof body['base'] === 'string') request.base = body['base'];
    }
    return { status: 200, body: shown(request) };
  }

  function threads(): Answer {
    const nodes = forge.said
      .filter(({ path, replyTo }) => path !== undefined && replyTo === undefined)
      .map((one) => ({
        isResolved: one.isResolved === true,
        comments: { nodes: [{ databaseId: one.id }] },
      }));
    const pageInfo = { hasNextPage: false, endCursor: null };
    const pullRequest = { reviewThreads: { nodes, pageInfo } };
    return { status: 200, body: { data: { repository: { pullRequest } } } };
  }

  return (asked, url) => {
    const { method, body } = asked;
    if (url.pathname === '/graphql') return threads();
    if (!url.pathname.startsWith(REPO)) return NOT_FOUND;
    const rest = url.pathname.slice(REPO.length);
    if (rest === '') {
      // Their own example is not as they describe it.
      const [source, parent, template] = [undefined, undefined, undefined];
      const fork = { language: null, source, parent, template_repository: template };
      return { status: 200, body: { default_branch: 'main', ...fork } };
    }
    if (rest === '/pulls' && method === 'GET') {
      const head = url.searchParams.get('head')!.replace(/^o:/, '');
      const found = forge.requests.filter((one) => one.head === head && one.state === 'open');
      return { status: 200, body: found.map(shown) };
    }
    if (rest === '/pulls') return open(body);
    const [, number, more = ''] = /^\/pulls\/(\d+)(\/.*)?$/.exec(rest) ?? [];
    const request = forge.requests.find((one) => one.number === Number(number));
    if (request !== undefined) return ofRequest(request, more, asked);
    if (/^\/issues\/\d+\/comments$/.test(rest)) {
      if (method === 'POST') {
        const { id } = say({ body: String(body['body']) }, 0);
        return { status: 201, body: { id, body: body['body'] } };
      }
      const whole = forge.said.filter(({ path }) => path === undefined);
      return { status: 200, body: whole.map((one) => ({ id: one.id, body: one.body })) };
    }
    const [, login] = /^\/collaborators\/([^/]+)\/permission$/.exec(rest) ?? [];
    if (login !== undefined) {
      const permission = forge.writers.includes(decodeURIComponent(login)) ? 'write' : 'read';
      const known = { ...user(login), role_name: permission };
      return { status: 200, body: { permission, role_name: permission, user: known } };
    }
    if (rest.endsWith('/check-runs')) {
      const runs = forge.checks.map(({ name, status, conclusion }, id) => ({
        id,
        name,
        status,
        conclusion,
        html_url: `https://forge.example.com/o/r/actions/runs/1/job/${id}`,
        app: { slug: 'github-actions' },
        output: { title: null, summary: null, text: null },
      }));
      return { status: 200, body: { total_count: runs.length, check_runs: runs } };
    }
    if (rest.endsWith('/status')) return { status: 200, body: { state: 'success', statuses: [] } };
    const [, job] = /^\/actions\/jobs\/(\d+)\/logs$/.exec(rest) ?? [];
    if (job === undefined || forge.checks[Number(job)]?.log === undefined) return NOT_FOUND;
    return { status: 302, headers: { location: `${forge.logsUrl}/${job}` }, body: '' };
  };
}
