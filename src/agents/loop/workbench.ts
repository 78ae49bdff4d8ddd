// The outer end of the process that works on the copy inside of the sandbox. A command that passes a limit takes the whole
// sandbox with it; then the next request starts another one in the same copy.
import { createInterface } from 'node:readline';
import type { Ending, SandboxProcess } from '../../sandbox/sandbox.ts';
import { ANSWERS, Reply } from './inside-api.ts';
import type { Answers, Requests } from './inside-api.ts';

export type Outcome<T> =
  | { kind: 'done'; value: T }
  /** Why it was not done: for the model. */
  | { kind: 'failed'; error: string };

export interface Workbench {
  ask<Op extends keyof Requests>(op: Op, asked: Requests[Op]): Promise<Outcome<Answers[Op]>>;
  /** Time of the processor that is used. */
  ticks(): number;
  /** Hosts that commands tried to reach in vain. */
  refused(): ReturnType<SandboxProcess['refused']>;
  /** Ends all that runs; the copy is free when it returns. */
  close(): Promise<void>;
}

/** There is no sandbox to be had: not a matter of the model. */
export class WorkbenchError extends Error {
  override name = 'WorkbenchError';
}

interface Bench {
  process: SandboxProcess;
  send(line: string): void;
  waiting: Map<number, (reply: unknown) => void>;
  ending: Promise<Ending>;
}

function textOf(ending: Ending): string {
  switch (ending.kind) {
    case 'limit':
      return ending.text;
    case 'unstartable':
      return ending.message;
    case 'cancelled':
      return 'It was ended.';
    case 'exited':
      return 'It ended the process that it ran in.';
  }
}

export function createWorkbench(start: () => Promise<SandboxProcess>): Workbench {
  let bench: Promise<Bench> | undefined;
  let current: SandboxProcess | undefined;
  const hosts: ReturnType<SandboxProcess['refused']> = [];
  let isClosed = false;
  let last = 0;

  async function open(): Promise<Bench> {
    const process = await start();
    current = process;
    if (isClosed) process.kill();
    const waiting: Bench['waiting'] = new Map();
    // What it says unasked is read and dropped.
    process.stderr.resume();
    createInterface({ input: process.stdout }).on('line', (line) => {
      const reply = replyOf(line);
      if (reply === undefined) return;
      waiting.get(reply.id)?.(reply);
      waiting.delete(reply.id);
    });
    const ending = process.ended.then((end) => {
      hosts.push(...process.refused());
      bench = undefined;
      current = undefined;
      return end;
    });
    return { process, waiting, ending, send: (line) => void process.stdin.write(`${line}\n`) };
  }

  return {
    async ask(op, asked) {
      if (isClosed) return { kind: 'failed', error: 'It was ended.' };
      bench ??= open();
      const { waiting, send, ending } = await bench;
      const id = ++last;
      const answered = new Promise<unknown>((resolve) => waiting.set(id, resolve));
      send(JSON.stringify({ id, op, asked }));
      const first = await Promise.race([
        answered,
        ending.then((end) => ({ id, ok: false, error: textOf(end), end })),
      ]);
      if (isUnstartable(first)) throw new WorkbenchError(first.error);
      const reply = Reply.parse(first);
      if (!reply.ok) return { kind: 'failed', error: reply.error };
      const read = ANSWERS[op].safeParse(reply.value);
      if (!read.success) return { kind: 'failed', error: 'It could not be read.' };
      return { kind: 'done', value: read.data as Answers[typeof op] };
    },
    ticks: () => current?.ticks() ?? 0,
    refused: () => [...hosts, ...(current?.refused() ?? [])],
    async close() {
      isClosed = true;
      const open = await bench?.catch(() => undefined);
      open?.process.kill();
      await open?.ending;
    },
  };
}

function isUnstartable(reply: unknown): reply is { error: string } {
  return (reply as { end?: Ending }).end?.kind === 'unstartable';
}

function replyOf(line: string): { id: number } | undefined {
  try {
    return Reply.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
