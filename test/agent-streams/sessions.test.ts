// An attempt after one that failed continues the session of the agent, where that can be done; where it cannot, it begins
// anew and costs nothing more.
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { sessionsFolderOf } from '../../src/orchestrator/state/run-folder.ts';
import { placeIn } from '../orchestrator/apply-project.ts';
import type { Project, Ran } from '../orchestrator/project.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { useAgents } from './world.ts';

/** As Claude Code prints it; what it remembers is a file in its home. */
const SESSION = `
const session = /--resume=(.+)/.exec(process.argv.join('\\n'))?.[1];
const memory = process.env.HOME + '/.claude/memory';
const seen = session && fs.existsSync(memory) ? fs.readFileSync(memory, 'utf8') : '';
const task = read();
const print = (value) => console.log(JSON.stringify(value));
const begin = () => print({ type: 'system', subtype: 'init', session_id: session ?? 'first' });
function remember() { mkdir(process.env.HOME + '/.claude', { recursive: true }); write(memory, seen + 'x'); }
`;
const AS = { protocol: 'headless', known: 'claude' } as const;
const PLAN = 'Write it down, WORD-PLAN.';

describe.skipIf(NO_SANDBOX !== undefined)('the session of an agent', () => {
  const world = useAgents();
  const project = (agent: string, verify: string, more: object = {}): Project =>
    world.project({
      s: { name: 's', plan: PLAN, owns: ['out.txt'], agent, verify: [verify], ...more },
    });
  const sessions = (place: Project, { runId }: { runId: string }) =>
    sessionsFolderOf(placeIn(place.root).stateDir, runId);
  const said = ({ events }: Pick<Ran, 'events'>) =>
    events.flatMap((event) =>
      event.type === 'agent.session' ? [[event.stream, event.continued, event.why]] : [],
    );
  const attempts = ({ events }: Ran) => events.filter(({ type }) => type === 'stream.started');

  it('is continued by each attempt that follows, in a fresh copy, with no more than what went wrong', async () => {
    world.agent(
      'rememberer',
      `${SESSION}
      begin(); await call(); remember();
      const about = [session, seen, fs.existsSync('out.txt'), task.includes('WORD-PLAN'), /went wrong[^]*out\\.txt/.test(task)];
      write('out.txt', JSON.stringify(about));`,
      AS,
    );
    const place = project('rememberer', `grep -q '"xx"' out.txt`);
    let folder = '';
    const modes: string[] = [];
    const ran = await world.run(place, {
      onEvent(event) {
        if (event.type === 'run.started') folder = sessions(place, event);
        // While a session is used, what is kept of it stays.
        if (event.type === 'agent.session') {
          modes.push((statSync(join(folder, 's/home')).mode & 0o777).toString(8));
        }
      },
    });
    expect(ran.status, JSON.stringify(ran.events)).toBe('complete');
    expect(JSON.parse(place.read('out.txt'))).toEqual(['first', 'xx', false, false, true]);
    expect(said(ran)).toEqual([
      ['s-fix-1', true, undefined],
      ['s-fix-2', true, undefined],
    ]);
    expect(modes).toEqual(['700', '700']);
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    [
      'is unknown',
      `print({ type: 'result', subtype: 'error', is_error: true, errors: ['No such session'] }); process.exit(1);`,
      'No such session',
    ],
    ['ends before a call', 'process.exit(0);', 'ended without a call'],
    [
      'is killed by what is in its home',
      `process.kill(process.pid, 'SIGSEGV');`,
      'ended by signal 11',
    ],
    ['is ended for its silence', 'await sleep(60_000);', 'was silent'],
  ])('that %s begins anew in the same attempt', async (title, broken, why) => {
    const name = title.replaceAll(' ', '-');
    world.agent(
      name,
      `${SESSION}
      if (session) { ${broken} }
      const isEmpty = !fs.existsSync(memory);
      begin(); await call(); remember();
      const isFix = task.includes('What went wrong');
      write('out.txt', isFix ? [task.includes('WORD-PLAN'), isEmpty].join() : 'wrong');`,
      AS,
    );
    const place = project(name, `grep -q true out.txt`);
    const ran = await world.run(place, { maxAttempts: 2 }, { silentMs: 4000 });
    expect(ran.status, JSON.stringify(ran.events)).toBe('complete');
    // The home of the session that failed is gone.
    expect(place.read('out.txt')).toBe('true,true');
    expect(said(ran)).toEqual([
      ['s-fix-1', true, undefined],
      ['s-fix-1', false, expect.stringContaining(why)],
    ]);
    expect(attempts(ran)).toHaveLength(2);
  });

  it('that fails once it works costs the attempt', async () => {
    world.agent(
      'failing',
      `${SESSION}
      begin(); await call(); remember();
      if (session) process.kill(process.pid, 'SIGKILL');
      write('out.txt', 'wrong');`,
      AS,
    );
    const ran = await world.run(project('failing', 'false'), { maxAttempts: 2 });
    expect(ran.status).toBe('failed');
    expect(said(ran)).toEqual([['s-fix-1', true, undefined]]);
  });

  it('that was ended by us is not continued', async () => {
    world.agent(
      'endless',
      `${SESSION}
      begin(); await call(); remember();
      if (!task.includes('What went wrong')) await sleep(60_000);
      write('out.txt', String(session));`,
      AS,
    );
    const place = project('endless', 'true', { timeoutMs: 4000 });
    const ran = await world.run(place, { maxAttempts: 2 });
    expect(said(ran)).toEqual([]);
    expect(ran.events.some((event: RunEvent) => event.type === 'stream.failed')).toBe(true);
  });

  it('continues where its changes are refused, in the same copy', async () => {
    world.agent(
      'trespasser',
      `${SESSION}
      begin(); await call(); remember();
      if (!session) { write('other.txt', 'not mine'); process.exit(); }
      remove('other.txt');
      write('out.txt', [session, seen, task.includes('WORD-PLAN'), task.includes('other.txt')].join());`,
      AS,
    );
    const place = project('trespasser', 'true');
    const ran = await world.run(place, { maxAttempts: 1 });
    expect(ran.status, JSON.stringify(ran.events)).toBe('complete');
    expect(place.read('out.txt')).toBe('first,x,false,true');
  });

  it('is gone when its run has failed, and when another run begins after a crash', async () => {
    world.agent(
      'wrong',
      `${SESSION} begin(); await call(); remember(); write('out.txt', 'no');`,
      AS,
    );
    const place = project('wrong', 'false');
    const ran = await world.run(place, { maxAttempts: 1 });
    expect(ran.status).toBe('failed');
    expect(existsSync(sessions(place, ran))).toBe(false);
    const left = join(sessions(place, ran), 's/home');
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, 'memory'), 'x');
    const next = await world.run(place, { maxAttempts: 1 });
    expect(next.runId).not.toBe(ran.runId);
    expect(existsSync(sessions(place, ran))).toBe(false);
    expect(readdirSync(join(placeIn(place.root).stateDir, 'runs'))).toContain(ran.runId);
  });
});
