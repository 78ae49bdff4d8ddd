// A small forge on loopback, over a real bare repository. A request is only as good as its branch: what is not pushed
// cannot be opened. GitHub's calls and answers are held against its own description of them.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { githubAnswers } from './forge-github.ts';
import { gitlabAnswers } from './forge-gitlab.ts';
import { asDescribed, askedWrongly } from './github-description.ts';

export interface Asked {
  method: string;
  path: string;
  token: string | undefined;
  body: Record<string, unknown>;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
  /** What was asked is done all the same: the answer is what is lost. */
  afterwards?: boolean;
}

export interface Request {
  number: number;
  title: string;
  body: string;
  head: string;
  base: string;
  draft: boolean;
  state: 'open' | 'closed';
  merged?: boolean;
  reviewers: unknown[];
}

/** Said about lines, or about the whole where there is no path. */
export interface Said {
  id: number;
  /** Of the review, or of the thread. */
  review: number;
  author: string;
  body: string;
  path?: string;
  line?: number;
  startLine?: number;
  side?: 'LEFT' | 'RIGHT';
  commit?: string;
  replyTo?: number;
  isResolved?: boolean;
}

export interface Reviewed {
  id: number;
  author: string;
  body: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
}

export interface CheckOnForge {
  name: string;
  status: string;
  conclusion: string | null;
  log?: string;
}

export interface ForgeState {
  url: string;
  /** Where logs are kept: another server, which must not see the token. */
  logsUrl: string;
  requests: Request[];
  /** Of commits. */
  checks: CheckOnForge[];
  reviews: Reviewed[];
  said: Said[];
  /** Who may push. */
  writers: string[];
  tipOf(branch: string): string | undefined;
}

export interface ForgeDouble extends ForgeState {
  asked: Asked[];
  /** Where client or double are not as GitHub describes itself. */
  faults: string[];
  /** Tokens that came to where logs are kept. */
  leaked: string[];
  /** Answers the next call of this kind in its own way; undefined goes on as usual. */
  next?: (asked: Asked) => Answer | undefined;
  close(): Promise<void>;
}

export type Answers = (asked: Asked, url: URL) => Answer;

const listen = (server: ReturnType<typeof createServer>) =>
  new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });

async function read(request: IncomingMessage): Promise<Asked> {
  const { method = 'GET', url: path = '/', headers } = request;
  const body = method === 'GET' ? {} : ((await json(request)) as Record<string, unknown>);
  const token = headers.authorization ?? headers['private-token'];
  return { method, path, token: Array.isArray(token) ? token[0] : token, body };
}

export async function startForge(kind: 'github' | 'gitlab', bare: string): Promise<ForgeDouble> {
  const double: ForgeDouble = {
    url: '',
    logsUrl: '',
    requests: [],
    asked: [],
    checks: [],
    reviews: [],
    said: [],
    writers: [],
    faults: [],
    leaked: [],
    tipOf(branch) {
      try {
        const ref = `refs/heads/${branch}`;
        return execFileSync('git', ['--git-dir', bare, 'rev-parse', '--verify', '-q', ref], {
          encoding: 'utf8',
        }).trim();
      } catch {
        return undefined;
      }
    },
    close: async () => {
      for (const one of [server, logs]) {
        one.closeAllConnections();
        await new Promise((resolve) => one.close(resolve));
      }
    },
  };
  const usual: Answers = (kind === 'github' ? githubAnswers : gitlabAnswers)(double);

  function described(asked: Asked, url: URL, { status, body, ...rest }: Answer): Answer {
    if (kind !== 'github' || url.pathname === '/graphql') return { status, body, ...rest };
    const wrong = askedWrongly(asked.method, url.pathname, asked.body);
    if (wrong !== undefined) double.faults.push(wrong);
    const full = asDescribed({ method: asked.method, path: url.pathname }, status, body);
    if (full.fault !== undefined) double.faults.push(full.fault);
    return { status, body: full.body, ...rest };
  }

  const server = createServer((request, response) => {
    void read(request).then((asked) => {
      double.asked.push(asked);
      const url = new URL(asked.path, 'http://forge');
      const own = double.next?.(asked);
      const isUsual = own === undefined || own.afterwards === true;
      const answer = isUsual ? described(asked, url, usual(asked, url)) : own;
      const { status, headers, body } = own ?? answer;
      if (status === 0) return request.socket.destroy();
      const isText = typeof body === 'string';
      response.writeHead(status, {
        'content-type': isText ? 'text/plain' : 'application/json',
        ...headers,
      });
      response.end(isText ? body : JSON.stringify(body));
      return undefined;
    });
  });
  const logs = createServer((request, response) => {
    const { authorization, 'private-token': privateToken } = request.headers;
    double.leaked.push(...[authorization ?? [], privateToken ?? []].flat());
    const index = Number(request.url?.slice(1));
    response.end(double.checks[index]?.log ?? '');
  });
  double.url = await listen(server);
  double.logsUrl = await listen(logs);
  return double;
}
