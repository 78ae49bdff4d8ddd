// The built-in agent, from its first turn to files that pass their checks.
import { describe, expect, it } from 'vitest';
import { plainLine } from '../../src/cli/commands/runs/view/plain-line.ts';
import { NO_SANDBOX, call, calls, done, said, shown, turns, useLoop } from './loop-projects.ts';

const CHECK = 'grep -q good src/a.txt';

describe.skipIf(NO_SANDBOX !== undefined)('the built-in agent', () => {
  const { server, model, project, options, stream, agents } = useLoop();

  it('reads, edits wrongly, runs the check, corrects, and its changes are applied and verified', async () => {
    const place = project(
      { a: stream({ verify: [CHECK] }) },
      { 'src/a.txt': 'bad\n', 'b.txt': 'b\n' },
    );
    model().answer(
      turns(
        calls(call('list', {}), call('read', { path: 'src/a.txt' })),
        calls(call('edit', { path: 'src/a.txt', edits: [{ oldText: 'bad', newText: 'goo' }] })),
        calls(call('run', { command: CHECK })),
        calls(call('edit', { path: 'src/a.txt', edits: [{ oldText: 'goo', newText: 'good' }] })),
        calls(call('run', { command: CHECK })),
        done(),
      ),
    );
    const ran = await place.run(server, options());
    expect(ran.status).toBe('complete');
    expect(place.tree()).toMatchObject({ 'src/a.txt': 'good\n', 'b.txt': 'b\n' });
    const last = model().calls.at(-1)!;
    expect(shown(last)).toEqual([
      'b.txt\nmillrace.yaml\nsrc/',
      '1\tbad',
      'src/a.txt is changed (1 edit).',
      'Exit code 1. It printed nothing.',
      'src/a.txt is changed (1 edit).',
      'Exit code 0. It printed nothing.',
    ]);
    expect(model().calls).toHaveLength(6);
    const tools = ran.events.flatMap((event) => (event.type === 'agent.tool' ? [event.name] : []));
    expect(tools).toEqual(['list', 'read', 'edit', 'run', 'edit', 'run', 'done']);
    const turnEvents = ran.events.filter(({ type }) => type === 'agent.turn');
    expect(turnEvents).toHaveLength(6);
    const lines = ran.events.map((event) => plainLine(event) ?? '');
    expect(lines.filter((line) => line.includes('re-asked'))).toEqual([]);
    const words = lines.map((line) => line.split(/\s+/).join(' '));
    expect(words.filter((line) => /^(?:turn|tool) /.test(line)).slice(0, 5)).toEqual([
      'turn a 1',
      'tool a list .',
      'tool a read src/a.txt',
      'turn a 2',
      'tool a edit src/a.txt',
    ]);
    expect(ran.events.some(({ type }) => type === 'command.finished')).toBe(true);
  });

  it('sends what it sent before unchanged with every turn', async () => {
    const place = project({ a: stream() }, { 'src/a.txt': 'a\n' });
    model().answer(
      turns(
        calls(call('read', { path: 'src/a.txt' })),
        calls(call('write', { path: 'src/b.txt', content: 'b\n' })),
        done(),
      ),
    );
    expect((await place.run(server, options())).status).toBe('complete');
    const [first, second, third] = model().calls.map(({ messages }) => messages);
    expect(second!.slice(0, first!.length)).toEqual(first);
    expect(third!.slice(0, second!.length)).toEqual(second);
    expect(place.read('src/b.txt')).toBe('b\n');
  });

  it('refuses a write outside of owns at once, and says so', async () => {
    const place = project({ a: stream() }, { 'b.txt': 'b\n' });
    model().answer(
      turns(
        calls(
          call('write', { path: 'b.txt', content: 'x' }),
          call('delete', { path: 'b.txt' }),
          call('write', { path: 'AGENTS.md', content: 'x' }),
          call('write', { path: 'src/c.txt', content: 'c\n' }),
        ),
        done(),
      ),
    );
    const ran = await place.run(server, options());
    expect(ran.status).toBe('complete');
    expect(place.tree()).toMatchObject({ 'b.txt': 'b\n', 'src/c.txt': 'c\n' });
    const refused = ran.events.flatMap((event) =>
      event.type === 'agent.refused' ? [event.subject] : [],
    );
    expect(refused).toEqual(['b.txt', 'b.txt', 'AGENTS.md']);
    expect(shown(model().calls.at(-1)!)[0]).toContain('outside the files this stream owns');
  });

  it('is asked once to use its tools, and done without a call once it changed something', async () => {
    const place = project({ a: stream() });
    model().answer(
      turns(
        'I would create it.',
        calls(call('write', { path: 'src/a', content: 'a' })),
        'It is there.',
      ),
    );
    expect((await place.run(server, options())).status).toBe('complete');
    expect(said(model().calls[1]!).at(-1)).toContain('Use the tools');
    expect(place.read('src/a')).toBe('a');
    model().calls.length = 0;
    const idle = project({ a: stream() });
    model().answer(() => 'I have nothing to do.');
    const ran = await idle.run(server, options({ maxAttempts: 1 }));
    expect(ran.status).toBe('failed');
    expect(model().calls).toHaveLength(2);
    expect(idle.streams()['a']!.error).toContain('I have nothing to do.');
  });

  it('ends after maxTurns, with the same call again and again, and without a change', async () => {
    const failing = async (
      more: object,
      answer: Parameters<ReturnType<typeof model>['answer']>[0],
    ) => {
      model().calls.length = 0;
      const place = project({ a: stream(more) }, { 'src/a.txt': 'a\n' });
      model().answer(answer);
      const ran = await place.run(server, options({ maxAttempts: 1 }));
      expect(ran.status).toBe('failed');
      return place.streams()['a']!.error;
    };
    const reads = (from: number) => calls(call('read', { path: 'src/a.txt', from }));
    expect(await failing({ maxTurns: 3 }, ({ number }) => reads(number))).toContain('maxTurns');
    expect(model().calls).toHaveLength(3);
    expect(await failing({}, () => reads(1))).toContain('same call');
    expect(model().calls).toHaveLength(4);
    expect(shown(model().calls.at(-1)!).at(-1)).toContain('three times in a row');
    expect(await failing({}, ({ number }) => reads(number))).toContain('changed nothing in 16');
    expect(said(model().calls[8]!).at(-1)).toContain('no change');
  });

  it('asks the person where there is one, and decides itself where there is none', async () => {
    const answers = turns(
      calls(call('ask', { question: 'Which colour?' })),
      calls(call('write', { path: 'src/a.txt', content: 'a' })),
      done(),
    );
    const place = project({ a: stream() });
    model().answer(answers);
    const asked: string[] = [];
    const ask = async (name: string, question: string) => {
      asked.push(`${name}: ${question}`);
      return 'Red';
    };
    await place.run(server, options({ agents: agents({ ask }) }));
    expect(asked).toEqual(['a: Which colour?']);
    expect(shown(model().calls[1]!)).toEqual(['Red']);
    model().calls.length = 0;
    await project({ a: stream() }).run(server, options());
    expect(shown(model().calls[1]!)[0]).toContain('Decide yourself');
  });

  it('gets one more chance in the same conversation when its files are refused', async () => {
    const place = project({ a: stream() });
    model().answer(
      turns(
        calls(call('write', { path: 'src/a.json', content: '{"a": }\n' })),
        done('First'),
        calls(call('write', { path: 'src/a.json', content: '{"a": 1}\n' })),
        done('Second'),
      ),
    );
    const ran = await place.run(server, options({ maxAttempts: 1 }));
    expect(place.streams()['a']!.error).toBeUndefined();
    expect(ran.status).toBe('complete');
    expect(place.read('src/a.json')).toBe('{"a": 1}\n');
    expect(said(model().calls[2]!).at(-1)).toContain('src/a.json');
  });

  it('makes no call for what an identical run was answered before', async () => {
    const files = { 'src/a.txt': 'a\n' };
    const place = project({ a: stream({ verify: ['true'] }) }, files);
    model().answer(
      turns(
        calls(call('read', { path: 'src/a.txt' }), call('run', { command: 'true' })),
        calls(call('write', { path: 'src/a.txt', content: 'b\n' })),
        done(),
      ),
    );
    const manifest = place.read('millrace.yaml');
    expect((await place.run(server, options())).status).toBe('complete');
    expect(model().calls).toHaveLength(3);
    place.write('src/a.txt', 'a\n');
    place.write('millrace.yaml', manifest);
    const ran = await place.run(server, options());
    expect(ran.status).toBe('complete');
    expect(model().calls).toHaveLength(3);
    expect(ran.of('a').filter((type) => type === 'stream.cached')).toHaveLength(3);
    expect(place.read('src/a.txt')).toBe('b\n');
  });
});
