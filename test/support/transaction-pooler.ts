// A pooler in transaction mode: clients get a session of the database for one transaction at a time. The
// real one where it is installed, else as much of it as matters here.
import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { waitUntil } from './processes.ts';

export interface Pooler {
  name: 'pgbouncer' | 'scripted';
  /** The given URL, by way of the pooler. */
  url: string;
  close(): Promise<void>;
}

const SESSIONS = 4;

export async function startTransactionPooler(
  targetUrl: string,
  kind?: Pooler['name'],
): Promise<Pooler> {
  const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;
  const wanted = kind ?? (isInstalled ? 'pgbouncer' : 'scripted');
  return wanted === 'pgbouncer' ? startPgBouncer(targetUrl) : startScripted(targetUrl);
}

function through(targetUrl: string, port: number): string {
  const url = new URL(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

async function startPgBouncer(targetUrl: string): Promise<Pooler> {
  const { hostname, port: targetPort, username, password } = new URL(targetUrl);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-pooler-'));
  const port = await findFreePort();
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(
    settings,
    `[databases]\n* = host=${hostname} port=${targetPort}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
      `listen_port = ${port}\nunix_socket_dir =\nauth_type = plain\nauth_file = ${users}\n` +
      `pool_mode = transaction\ndefault_pool_size = ${SESSIONS}\nmax_client_conn = 100\n`,
  );
  // It does not run as root, and then has to read its files as another.
  await chmod(folder, 0o755);
  const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', ['-q', ...asOther, settings], { stdio: 'ignore' });
  const url = through(targetUrl, port);
  await waitUntil(async () => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    const isUp = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    return isUp;
  }, 'pgbouncer');
  return {
    name: 'pgbouncer',
    url,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const SSL_REQUEST = 80_877_103;
const PROTOCOL_3 = 196_608;
const READY = message('Z', Buffer.from('I'));
const WELCOME = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('S', Buffer.from('client_encoding\0UTF8\0')),
  message('K', Buffer.alloc(8)),
  READY,
]);

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Calls `take` with each whole message; with `first`, until the start-up is over, those without a type. */
function readMessages(socket: Socket, take: (type: string, whole: Buffer) => void, first = false) {
  let rest: Buffer = Buffer.alloc(0);
  let isStartup = first;
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const typed = isStartup ? 0 : 1;
      if (rest.length < typed + 4) return;
      const size = typed + rest.readInt32BE(typed);
      if (rest.length < size) return;
      const whole = rest.subarray(0, size);
      rest = rest.subarray(size);
      if (isStartup && whole.readInt32BE(4) === PROTOCOL_3) isStartup = false;
      take(typed === 0 ? '' : String.fromCharCode(whole[0]!), whole);
    }
  });
}

interface Lent {
  stream: Socket;
  /** Gets what the session answers, while it is lent to somebody. */
  answer: ((type: string, whole: Buffer) => void) | undefined;
}

async function startScripted(targetUrl: string): Promise<Pooler> {
  const sessions: pg.Client[] = [];
  const free: Lent[] = [];
  const waiting: ((session: Lent) => void)[] = [];
  const clients = new Set<Socket>();

  for (let count = 0; count < SESSIONS; count += 1) {
    const client = new pg.Client({ connectionString: targetUrl });
    client.on('error', () => undefined);
    await client.connect();
    sessions.push(client);
    const stream = client.connection.stream as Socket;
    stream.removeAllListeners('data');
    const session: Lent = { stream, answer: undefined };
    readMessages(stream, (type, whole) => session.answer?.(type, whole));
    free.push(session);
  }

  function giveBack(session: Lent): void {
    session.answer = undefined;
    const next = waiting.shift();
    if (next) next(session);
    else free.push(session);
  }

  function serve(near: Socket): void {
    let session: Lent | undefined;
    let unsent: Buffer[] = [];
    let isWaiting = false;
    let answersDue = 0;

    function lend(lent: Lent): void {
      isWaiting = false;
      session = lent;
      lent.answer = (type, whole) => {
        near.write(whole);
        if (type !== 'Z') return;
        answersDue -= 1;
        if (answersDue > 0 || whole[5] !== 'I'.charCodeAt(0)) return;
        session = undefined;
        giveBack(lent);
      };
      for (const part of unsent) lent.stream.write(part);
      unsent = [];
    }

    function start(whole: Buffer): void {
      const code = whole.readInt32BE(4);
      if (code === SSL_REQUEST) near.write('N');
      else if (code !== PROTOCOL_3) near.destroy();
      else if (whole.includes('statement_timeout')) {
        const fields = 'SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter\0\0';
        near.end(message('E', Buffer.from(fields)));
      } else near.write(WELCOME);
    }

    readMessages(
      near,
      (type, whole) => {
        if (type === '') return start(whole);
        if (type === 'X') return void near.end();
        if (type === 'Q' || type === 'S') answersDue += 1;
        if (session) return void session.stream.write(whole);
        unsent.push(whole);
        if (isWaiting) return;
        isWaiting = true;
        const lent = free.pop();
        if (lent) lend(lent);
        else waiting.push(lend);
      },
      true,
    );
  }

  const server = createServer((near) => {
    clients.add(near);
    near.on('error', () => undefined).on('close', () => clients.delete(near));
    serve(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    name: 'scripted',
    url: through(targetUrl, typeof address === 'object' ? (address?.port ?? 0) : 0),
    async close() {
      for (const client of clients) client.destroy();
      for (const { connection } of sessions) connection.stream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
