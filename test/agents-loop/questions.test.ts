// What the built-in agent asks: at the terminal and on the server, or where the manifest says so on the server alone.
import { afterEach, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import type { ListedApproval } from '../../src/client/index.ts';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { AnsweredElsewhere } from '../../src/orchestrator/index.ts';
import type { Command } from '../agent-streams/command.ts';
import { startRun } from '../agent-streams/command.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { NO_SANDBOX, call, calls, done, shown, turns, useLoop } from './loop-projects.ts';

const WAITS = { approve: ['question'] };
let asked = 0;

describe.skipIf(NO_SANDBOX !== undefined)('a question of the built-in agent', () => {
  const { server, node, model, project, options, stream, agents, home } = useLoop();
  const client = () => new MillraceClient(server.url, server.key);
  const commands: Command[] = [];
  afterEach(() => {
    model().calls.length = 0;
    for (const { child } of commands.splice(0)) child.kill('SIGKILL');
  });

  /** Of a text that no other test asks. */
  function asks(): string {
    const question = `Which colour, number ${++asked}?`;
    model().answer(
      turns(
        calls(call('ask', { question })),
        calls(call('write', { path: 'src/a.txt', content: 'a' })),
        done(),
      ),
    );
    return question;
  }
  const open = (question: string): Promise<ListedApproval> =>
    waitUntil(async () => {
      const { items } = await client().approvals.list({ status: 'open' });
      return items.find(({ title }) => title.includes(question));
    }, 'the question on the server');
  const answer = ({ id, hash }: ListedApproval, text: string) =>
    client().approvals.resolve(id, { decision: 'approve', hash, answer: text });
  const byTitle = async (question: string) => {
    const { items } = await client().approvals.list({ limit: 100 });
    return items.filter(({ title }) => title.includes(question));
  };
  /** What the model was told, when the run has come to its end. */
  const told = () => shown(model().calls[1]!);
  const nobody = (signal: AbortSignal) =>
    new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('')));

  it('has the answer of the terminal, which closes it on the server', async () => {
    verifies('approvals.agent-asks');
    const question = asks();
    const atServer: ListedApproval[] = [];
    const ask = async () => {
      atServer.push(await open(question));
      return 'Red';
    };
    await project({ a: stream() }).run(server, options({ agents: agents({ ask }) }));
    expect(told()).toEqual(['Red']);
    expect(atServer[0]).toMatchObject({ kind: 'question', streamId: 'a' });
    const { status, resolution } = await client().approvals.get(atServer[0]!.id);
    expect([status, resolution?.answer]).toEqual(['approved', 'Red']);
  });

  it('has the answer of the server where that is first, and the terminal learns of it', async () => {
    const question = asks();
    let reason: unknown;
    const ask = async (_stream: string, _question: string, signal: AbortSignal) => {
      const said = nobody(signal);
      await answer(await open(question), 'Blue');
      await said;
      ({ reason } = signal);
      return '';
    };
    await project({ a: stream() }).run(server, options({ agents: agents({ ask }) }));
    expect(told()).toEqual(['Blue']);
    expect(reason).toBeInstanceOf(AnsweredElsewhere);
    expect(reason).toMatchObject({ by: expect.stringContaining('@'), answer: 'Blue' });
  });

  it('has one answer where both are given at once, and the late one learns of it', async () => {
    const question = asks();
    const ask = async () => {
      await answer(await open(question), 'Blue');
      return 'Red';
    };
    const ran = await project({ a: stream() }).run(server, options({ agents: agents({ ask }) }));
    expect(told()).toEqual(['Blue']);
    const notes = ran.events.flatMap((event) => (event.type === 'run.note' ? [event.message] : []));
    // Where the answer of the server arrives before that of the terminal is sent, the terminal is told by itself.
    for (const note of notes.filter((text) => text.includes('first')))
      expect(note).toMatch(/@.* was first: Blue$/);
  });

  it('is decided by the agent where the person leaves it to it', async () => {
    const question = asks();
    await project({ a: stream() }).run(
      server,
      options({ agents: agents({ ask: async () => '' }) }),
    );
    expect(told()[0]).toContain('Decide yourself');
    expect((await byTitle(question)).map(({ status }) => status)).toEqual(['denied']);
  });

  it('waits for nobody where nobody sits there, unless the manifest says so', async () => {
    const question = asks();
    const ran = await project({ a: stream() }).run(server, options());
    expect(ran.status).toBe('complete');
    expect(told()[0]).toContain('Decide yourself');
    expect(await byTitle(question)).toEqual([]);
  });

  it('waits on the server where the manifest says so, and the time of the stream stands still', async () => {
    verifies('approvals.agent-asks');
    const question = asks();
    const place = project({ a: stream({ ...WAITS, timeoutMs: 6000 }) });
    const events: RunEvent[] = [];
    const running = place.run(
      server,
      options({ maxAttempts: 1, onEvent: (event) => void events.push(event) }),
    );
    const found = await open(question);
    const since = performance.now();
    await waitUntil(() => performance.now() - since > 6500, 'more time than the stream has');
    expect(events.at(-1)).toMatchObject({
      type: 'stream.waiting',
      reason: 'approval',
      detail: expect.stringContaining(found.id),
    });
    await answer(found, 'Green');
    expect((await running).status).toBe('complete');
    expect(told()).toEqual(['Green']);
  });

  it.each([['denied'], ['not answered in time']])(
    'that is %s is decided by the agent',
    async (how) => {
      const question = asks();
      const running = project({ a: stream(WAITS) }).run(server, options());
      const { id, hash } = await open(question);
      if (how === 'denied') await client().approvals.resolve(id, { decision: 'deny', hash });
      else await node().db.query('update approvals set expires_at = now() where id = $1', [id]);
      expect((await running).status).toBe('complete');
      expect(told()[0]).toContain('Decide yourself');
    },
  );

  it('is closed when its run is stopped', async () => {
    const question = asks();
    const stop = new AbortController();
    const place = project({ a: stream(WAITS) });
    const running = place.run(server, options({ stop: stop.signal }));
    const { id } = await open(question);
    stop.abort();
    expect((await running).status).toBe('cancelled');
    expect((await client().approvals.get(id)).status).toBe('withdrawn');
  });

  it('is asked once, and its answer counts, where the command is killed while it waits', async () => {
    const question = asks();
    const place = project({ a: stream({ ...WAITS, owns: ['src/'] }) });
    const settings = {
      HOME: home(),
      XDG_STATE_HOME: '',
      MILLRACE_URL: server.url,
      MILLRACE_API_KEY: server.key,
    };
    const first = startRun(place, settings);
    commands.push(first);
    const found = await open(question);
    first.child.kill('SIGKILL');
    await first.ended;
    await answer(found, 'Violet');
    const second = startRun(place, settings);
    commands.push(second);
    expect(await second.ended, JSON.stringify(second.events)).toBe(0);
    expect(told()).toEqual(['Violet']);
    expect(await byTitle(question)).toHaveLength(1);
    // No turn was paid for twice.
    expect(model().calls).toHaveLength(3);
  });
});
