// A small forge on loopback, over a real bare repository: as much of GitHub's and GitLab's answers as clients read. A request
// is only as good as its branch: what is not pushed cannot be opened.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Asked {
  method: string;
  path: string;
  token: string | undefined;
  body: Record<string, unknown>;
}

interface Request {
  number: number;
  title: string;
  body: string;
  head: string;
  base: string;
  draft: boolean;
  state: 'open' | 'closed';
  reviewers: unknown[];
}

export interface ForgeDouble {
  url: string;
  requests: Request[];
  asked: Asked[];
  /** Of commits. */
  checks: { name: string; status: string; conclusion: string | null }[];
  /** Answers the next call of this kind in its own way; undefined goes on as usual. */
  next?: (asked: Asked) => Answer | undefined;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
  /** What was asked is done all the same: the answer is what is lost. */
  afterwards?: boolean;
}

export async function startForge(kind: 'github' | 'gitlab', bare: string): Promise<ForgeDouble> {
  const tipOf = (branch: string) => {
    try {
      const ref = `refs/heads/${branch}`;
      return execFileSync('git', ['--git-dir', bare, 'rev-parse', '--verify', '-q', ref], {
        encoding: 'utf8',
      }).trim();
    } catch {
      return undefined;
    }
  };
  const double: ForgeDouble = {
    url: '',
    requests: [],
    asked: [],
    checks: [],
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };

  const shown = (request: Request) =>
    kind === 'github'
      ? {
          number: request.number,
          html_url: `https://forge.example.com/o/r/pull/${request.number}`,
          title: request.title,
          state: request.state,
          draft: request.draft,
          merged_at: null,
          head: { ref: request.head, sha: tipOf(request.head) },
          base: { ref: request.base },
        }
      : {
          iid: request.number,
          web_url: `https://forge.example.com/o/r/-/merge_requests/${request.number}`,
          title: request.title,
          state: request.state === 'open' ? 'opened' : 'closed',
          draft: request.title.startsWith('Draft: '),
          sha: tipOf(request.head),
          source_branch: request.head,
          target_branch: request.base,
        };

  function open(body: Record<string, unknown>): Answer {
    const [head, base] = (
      kind === 'github'
        ? [body['head'], body['base']]
        : [body['source_branch'], body['target_branch']]
    ) as [string, string];
    const wrong = (message: string) =>
      kind === 'github'
        ? { status: 422, body: { message: 'Validation Failed', errors: [{ message }] } }
        : { status: message.includes('already') ? 409 : 422, body: { message: [message] } };
    if (tipOf(head) === undefined) return wrong('head does not exist');
    if (tipOf(base) === undefined) return wrong('base does not exist');
    if (double.requests.some((one) => one.head === head && one.state === 'open')) {
      return wrong('A pull request already exists for this branch.');
    }
    const text = (kind === 'github' ? body['body'] : body['description']) as string;
    if (text.length > 65_536 && kind === 'github') return wrong('body is too long');
    const request: Request = {
      number: double.requests.length + 1,
      title: String(body['title']),
      body: text,
      head,
      base,
      draft: body['draft'] === true,
      state: 'open',
      reviewers: [],
    };
    double.requests.push(request);
    return { status: 201, body: shown(request) };
  }

  function answer({ method, path, body }: Asked): Answer {
    const url = new URL(path, 'http://forge');
    const root = kind === 'github' ? '/repos/o/r' : '/projects/o%2Fr';
    if (url.pathname === '/users') {
      return { status: 200, body: [{ id: 7, username: url.searchParams.get('username') }] };
    }
    if (!url.pathname.startsWith(root)) return { status: 404, body: { message: 'Not Found' } };
    const rest = url.pathname.slice(root.length);
    const list = kind === 'github' ? '/pulls' : '/merge_requests';
    if (rest === '') return { status: 200, body: { default_branch: 'main' } };
    if (rest === list && method === 'GET') {
      const head = (url.searchParams.get('head') ?? url.searchParams.get('source_branch'))!.replace(
        /^o:/,
        '',
      );
      const found = double.requests.filter((one) => one.head === head && one.state === 'open');
      return { status: 200, body: found.map(shown) };
    }
    if (rest === list && method === 'POST') return open(body);
    const [, number, more] = new RegExp(`^${list}/(\\d+)(/requested_reviewers)?$`).exec(rest) ?? [];
    const request = double.requests.find((one) => one.number === Number(number));
    if (request !== undefined) {
      if (more !== undefined || body['reviewer_ids'] !== undefined) {
        request.reviewers = (body['reviewers'] ?? body['reviewer_ids']) as unknown[];
        return { status: 201, body: shown(request) };
      }
      if (method !== 'GET') {
        if (typeof body['title'] === 'string') request.title = body['title'];
        const text = body['body'] ?? body['description'];
        if (typeof text === 'string') request.body = text;
      }
      return { status: 200, body: shown(request) };
    }
    if (rest.endsWith('/check-runs')) {
      const runs = double.checks.map((check) => ({ ...check, html_url: null }));
      return { status: 200, body: { total_count: runs.length, check_runs: runs } };
    }
    if (rest.endsWith('/status')) return { status: 200, body: { state: 'success', statuses: [] } };
    if (rest.endsWith('/statuses')) {
      const listed = double.checks.map(({ name, conclusion }) => ({
        name,
        status: conclusion === 'failure' ? 'failed' : 'success',
        target_url: null,
      }));
      return { status: 200, body: listed };
    }
    return { status: 404, body: { message: 'Not Found' } };
  }

  async function read(request: IncomingMessage): Promise<Asked> {
    const { method = 'GET', url: path = '/', headers } = request;
    const body = method === 'GET' ? {} : ((await json(request)) as Record<string, unknown>);
    const token = headers.authorization ?? headers['private-token'];
    return { method, path, token: Array.isArray(token) ? token[0] : token, body };
  }

  const server = createServer((request, response) => {
    void read(request).then((asked) => {
      double.asked.push(asked);
      const own = double.next?.(asked);
      const usual = own === undefined || own.afterwards === true ? answer(asked) : undefined;
      const { status, headers, body } = own ?? usual!;
      if (status === 0) return request.socket.destroy();
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return double;
}
