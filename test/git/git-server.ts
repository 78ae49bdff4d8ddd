// A repository over HTTP, as forges have it: git's own program behind a login.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface GitServer {
  url: string;
  /** Calls with the right login. */
  accepted(): number;
  close(): Promise<void>;
}

/** Its answer has headers of its own, and a status among them. */
function pass(answer: Buffer, response: ServerResponse): void {
  const end = answer.indexOf('\r\n\r\n');
  const headers = answer.subarray(0, end).toString('latin1').split('\r\n');
  for (const line of headers) {
    const [name = '', value = ''] = line.split(/: (.*)/s);
    if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.end(answer.subarray(end + 4));
}

async function serve(bare: string, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url!, 'http://git');
  const env = {
    PATH: process.env['PATH'],
    GIT_PROJECT_ROOT: bare,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: url.pathname.replace('/o/r.git', ''),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers['content-type'],
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
    REMOTE_USER: 'me',
  };
  const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  request.pipe(child.stdin);
  pass(await buffer(child.stdout), response);
}

/** At /o/r.git. `login`: as the header has it. */
export async function startGitServer(bare: string, login: string): Promise<GitServer> {
  let accepted = 0;
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    const count = request.rawHeaders.filter((name) => /^authorization$/i.test(name)).length;
    if (count > 1) response.writeHead(400).end('Duplicate header: "Authorization"');
    else if (authorization?.toLowerCase() !== login.toLowerCase()) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    } else {
      accepted += 1;
      void serve(bare, request, response);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted: () => accepted,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
