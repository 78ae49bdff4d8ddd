// Drives whole jobs over kept-alive connections: submit, ask until it is done, submit the next one.
// Knows nothing about the system that it drives, so that all systems meet the same driver. Shares its
// cores with them, hence raw sockets.
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { now } from './clock.ts';
import { endWithParent } from './end-with-parent.ts';
import { percentile } from './percentile.ts';
import { wholeReply } from './replies.ts';
import type { Reply } from './replies.ts';

/** How a system is spoken to. The patterns are regular expressions over a whole reply. */
export interface JobProtocol {
  /** Requests of users, whole HTTP texts; client after client takes the next one. */
  users: {
    /** `%n` becomes a running number of ten digits. */
    submit: string;
    /** `%1` becomes the first group of `id`, `%2` the second. */
    poll: string;
  }[];
  /** Finds what polls need in the reply to a submit. */
  id: string;
  done: string;
  failed: string;
  /** Replies that mean "not yet" although their status is not a 2xx. */
  notYet?: string;
}

export interface JobLoad extends JobProtocol {
  host: string;
  port: number;
  clients: number;
  seconds: number;
  /** From the last answer to the next question. */
  pollMs: number;
}

export interface JobResult {
  /** Ended well in the time asked for. */
  perSecond: number;
  /** Ended well, with those that were under way when the time was over. */
  done: number;
  failures: number;
  firstFailure: string | undefined;
  pollsPerJob: number;
  submitP50Ms: number;
  submitP99Ms: number;
  jobP50Ms: number;
  jobP99Ms: number;
}

/** A job that takes longer than this after the time is over is lost. */
const LONGEST_MS = 30_000;

interface Connection {
  ask(text: string): Promise<Reply>;
  close(): void;
}

function open({ host, port }: JobLoad): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, host);
    let buffered = '';
    let waiting: { resolve(reply: Reply): void; reject(error: Error): void } | undefined;
    const fail = (error: Error) => {
      reject(error);
      waiting?.reject(error);
    };
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('error', fail).on('close', () => fail(new Error('the connection was closed')));
    socket.on('data', (data: string) => {
      buffered += data;
      try {
        const reply = wholeReply(buffered);
        if (reply === undefined) return;
        buffered = '';
        waiting?.resolve(reply);
      } catch (error) {
        fail(error as Error);
      }
    });
    socket.on('connect', () =>
      resolve({
        ask: (text) =>
          new Promise((resolve, reject) => {
            waiting = { resolve, reject };
            socket.write(text, 'latin1');
          }),
        close: () => socket.destroy(),
      }),
    );
  });
}

/** Over all loads: some systems take a number that they have seen for the same job. */
let counter = 0;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const isGood = ({ status }: Reply) => status >= 200 && status < 300;

async function runJobs(load: JobLoad): Promise<JobResult> {
  const id = new RegExp(load.id);
  const done = new RegExp(load.done);
  const failed = new RegExp(load.failed);
  const notYet = load.notYet === undefined ? undefined : new RegExp(load.notYet);
  const startedAt = now();
  const until = startedAt + load.seconds * 1000;
  const submits: number[] = [];
  const jobs: number[] = [];
  let inTime = 0;
  let polls = 0;
  let failures = 0;
  let firstFailure: string | undefined;

  async function runJob(
    connection: Connection,
    { submit, poll }: JobProtocol['users'][number],
  ): Promise<void> {
    const sentAt = now();
    const submitted = await connection.ask(submit.replaceAll('%n', String(1e9 + ++counter)));
    const found = isGood(submitted) ? id.exec(submitted.text) : null;
    if (found === null) throw new Error(`submit: ${submitted.text}`);
    submits.push(now() - sentAt);
    const question = poll.replaceAll('%1', found[1] ?? '').replaceAll('%2', found[2] ?? '');
    for (;;) {
      await pause(load.pollMs);
      const reply = await connection.ask(question);
      polls += 1;
      if (done.test(reply.text)) break;
      const isOpen = isGood(reply) || notYet?.test(reply.text) === true;
      if (!isOpen || failed.test(reply.text)) throw new Error(`poll: ${reply.text}`);
      if (now() > until + LONGEST_MS) throw new Error('the job did not end');
    }
    const endedAt = now();
    jobs.push(endedAt - sentAt);
    if (endedAt <= until) inTime += 1;
  }

  async function runClient(index: number): Promise<void> {
    const user = load.users[index % load.users.length]!;
    let connection: Connection | undefined;
    while (now() < until) {
      try {
        connection ??= await open(load);
        await runJob(connection, user);
      } catch (error) {
        failures += 1;
        firstFailure ??= (error as Error).message;
        connection?.close();
        connection = undefined;
        await pause(load.pollMs);
      }
    }
    connection?.close();
  }

  await Promise.all(Array.from({ length: load.clients }, (_, index) => runClient(index)));
  for (const values of [submits, jobs]) values.sort((a, b) => a - b);
  return {
    perSecond: inTime / load.seconds,
    done: jobs.length,
    failures,
    firstFailure,
    pollsPerJob: polls / jobs.length,
    submitP50Ms: percentile(submits, 0.5),
    submitP99Ms: percentile(submits, 0.99),
    jobP50Ms: percentile(jobs, 0.5),
    jobP99Ms: percentile(jobs, 0.99),
  };
}

process.on('message', ({ jobs }: { jobs?: JobLoad }) => {
  if (jobs !== undefined) void runJobs(jobs).then((result) => process.send?.({ result }));
});
endWithParent();
