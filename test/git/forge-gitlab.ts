// Written from GitLab's documentation: it has no description that programs read.
import type { Answer, Answers, ForgeState, Request, Said } from './forge-double.ts';

const PROJECT = '/projects/o%2Fr';
const NOT_FOUND: Answer = { status: 404, body: { message: '404 Not Found' } };
const idOf = (name: string) => 7 + name.charCodeAt(0) - 'o'.charCodeAt(0);

export function gitlabAnswers(forge: ForgeState): Answers {
  const shown = (request: Request) => ({
    iid: request.number,
    web_url: `https://forge.example.com/o/r/-/merge_requests/${request.number}`,
    title: request.title,
    state: request.merged === true ? 'merged' : request.state === 'open' ? 'opened' : 'closed',
    draft: request.title.startsWith('Draft: '),
    reviewers: request.reviewers.map((id) => ({ id })),
    sha: forge.tipOf(request.head),
    source_branch: request.head,
    target_branch: request.base,
  });

  const wrong = (status: number, message: string): Answer => ({
    status,
    body: { message: [message] },
  });

  function open(body: Record<string, unknown>): Answer {
    const [head, base] = [body['source_branch'], body['target_branch']] as [string, string];
    if (forge.tipOf(head) === undefined) return wrong(422, 'Source branch does not exist');
    if (forge.tipOf(base) === undefined) return wrong(422, 'Target branch does not exist');
    if (forge.requests.some((one) => one.head === head && one.state === 'open')) {
      return wrong(409, 'Another open merge request already exists for this source branch: !1');
    }
    const request: Request = {
      number: forge.requests.length + 1,
      title: String(body['title']),
      body: String(body['description']),
      head,
      base,
      draft: false,
      state: 'open',
      reviewers: [],
    };
    forge.requests.push(request);
    return { status: 201, body: shown(request) };
  }

  const note = (one: Said, isFirst: boolean) => ({
    id: one.id,
    type: one.path === undefined ? 'DiscussionNote' : 'DiffNote',
    body: one.body,
    author: { id: idOf(one.author), username: one.author },
    system: false,
    resolvable: true,
    resolved: one.isResolved === true,
    ...(one.path !== undefined &&
      isFirst && {
        position: {
          position_type: 'text',
          base_sha: one.commit,
          head_sha: one.commit,
          old_path: one.path,
          new_path: one.path,
          old_line: one.side === 'LEFT' ? one.line : null,
          new_line: one.side === 'LEFT' ? null : one.line,
          line_range: null,
        },
      }),
  });

  const add = (body: unknown, review: number): Said => {
    const one = { id: 1000 + forge.said.length, review, author: 'me', body: String(body) };
    forge.said.push(one);
    return one;
  };

  function discussions(): Answer {
    const threads = new Map<number, Said[]>();
    for (const one of forge.said)
      threads.set(one.review, [...(threads.get(one.review) ?? []), one]);
    const listed = [...threads].map(([id, said]) => ({
      id: String(id),
      individual_note: id === 0,
      notes: said.map((one, index) => note(one, index === 0)),
    }));
    return { status: 200, body: listed };
  }

  function jobs(): Answer {
    const failed = forge.checks
      .map((check, id) => ({ ...check, id }))
      .filter(({ conclusion }) => conclusion === 'failure');
    const listed = failed.map(({ id, name }) => ({
      id,
      name,
      web_url: `https://forge.example.com/o/r/-/jobs/${id}`,
      allow_failure: false,
    }));
    return { status: 200, body: listed };
  }

  return ({ method, body }, url) => {
    if (url.pathname === '/users') {
      const username = url.searchParams.get('username')!;
      return { status: 200, body: [{ id: idOf(username), username }] };
    }
    if (!url.pathname.startsWith(PROJECT)) return NOT_FOUND;
    const rest = url.pathname.slice(PROJECT.length);
    if (rest === '') return { status: 200, body: { default_branch: 'main' } };
    if (rest === '/merge_requests' && method === 'GET') {
      const head = url.searchParams.get('source_branch');
      const found = forge.requests.filter((one) => one.head === head && one.state === 'open');
      return { status: 200, body: found.map(shown) };
    }
    if (rest === '/merge_requests') return open(body);
    const [, number, more = ''] = /^\/merge_requests\/(\d+)(\/.*)?$/.exec(rest) ?? [];
    const request = forge.requests.find((one) => one.number === Number(number));
    if (request !== undefined) {
      if (more === '/discussions') return discussions();
      const [, thread] = /^\/discussions\/(\d+)\/notes$/.exec(more) ?? [];
      if (thread !== undefined) {
        const isThere = forge.said.some(({ review }) => review === Number(thread));
        return isThere
          ? { status: 201, body: note(add(body['body'], Number(thread)), false) }
          : NOT_FOUND;
      }
      if (more === '/notes') return { status: 201, body: note(add(body['body'], 0), false) };
      if (more !== '') return NOT_FOUND;
      if (body['reviewer_ids'] !== undefined) request.reviewers = body['reviewer_ids'] as unknown[];
      if (typeof body['title'] === 'string') request.title = body['title'];
      if (typeof body['description'] === 'string') request.body = body['description'];
      if (typeof body['target_branch'] === 'string') request.base = body['target_branch'];
      return { status: 200, body: shown(request) };
    }
    const [, member] = /^\/members\/all\/(\d+)$/.exec(rest) ?? [];
    if (member !== undefined) {
      const isWriter = forge.writers.some((name) => idOf(name) === Number(member));
      if (!isWriter) return NOT_FOUND;
      return { status: 200, body: { id: Number(member), access_level: 30, state: 'active' } };
    }
    if (rest === '/pipelines') return { status: 200, body: [{ id: 1 }] };
    if (rest === '/pipelines/1/jobs') return jobs();
    const [, job] = /^\/jobs\/(\d+)\/trace$/.exec(rest) ?? [];
    if (job !== undefined) {
      const isThere = forge.checks[Number(job)]?.log !== undefined;
      if (!isThere) return NOT_FOUND;
      return { status: 302, headers: { location: `${forge.logsUrl}/${job}` }, body: '' };
    }
    if (rest.endsWith('/statuses')) {
      const listed = forge.checks.map(({ name, conclusion }) => ({
        name,
        status: conclusion === 'failure' ? 'failed' : 'success',
        target_url: null,
      }));
      return { status: 200, body: listed };
    }
    return NOT_FOUND;
  };
}
