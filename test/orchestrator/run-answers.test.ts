// What becomes of answers that cannot be used as they are, and of files that changed meanwhile.
import { describe, expect, it } from 'vitest';
import type { Ran } from './project.ts';
import { edits, replace, useScriptedProjects, whole } from './scripted-projects.ts';

const { server, model, project, workflow } = useScriptedProjects();

const asksOf = ({ events }: Ran) =>
  events.flatMap((event) => (event.type === 'stream.call' ? [event.asks ?? 'first'] : []));
const owning = (path: string, more: object = {}) => ({
  a: { name: 'Change it', owns: [path], plan: 'Change it.', ...more },
});

describe('a file that somebody edits while the model thinks', () => {
  it('is never overwritten by a whole text: the model is shown it and asked again', async () => {
    const place = project(owning('a.txt'), { 'a.txt': 'one\ntwo\n' });
    model().answer(({ prompt, number }) => {
      if (number > 1) return edits(whole('a.txt', 'ONE\ntwo\nthree by hand\n'));
      expect(prompt).toContain('one\ntwo\n');
      place.write('a.txt', 'one\ntwo\nthree by hand\n');
      return edits(whole('a.txt', 'ONE\ntwo\n'));
    });
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(place.read('a.txt')).toBe('ONE\ntwo\nthree by hand\n');
    expect(asksOf(ran)).toEqual(['first', 'again']);
    const [first, second] = model().calls;
    expect(second!.prompt.startsWith(first!.prompt)).toBe(true);
    expect(second!.prompt).toContain('three by hand');
    expect(second!.prompt).toContain('STALE');
  });

  it('is not deleted either', async () => {
    const place = project(owning('a.txt'), { 'a.txt': 'one\n' });
    model().answer(() => {
      place.write('a.txt', 'work of a person\n');
      return edits('delete: a.txt\n');
    });
    const ran = await place.run(server, { maxAttempts: 1 });
    // It was shown as it is when it was asked for again.
    expect(asksOf(ran)).toEqual(['first', 'again']);
    expect(model().calls[1]!.prompt).toContain('work of a person');
    expect(place.exists('a.txt')).toBe(false);
  });

  it('takes edits of other lines as they are', async () => {
    const place = project(owning('a.txt'), { 'a.txt': 'one\ntwo\n' });
    model().answer(() => {
      place.write('a.txt', 'one\ntwo\nthree\n');
      return edits(replace('a.txt', 'one', 'ONE'));
    });
    expect(asksOf(await place.run(server))).toEqual(['first']);
    expect(place.read('a.txt')).toBe('ONE\ntwo\nthree\n');
  });

  it('may be one that the model takes for a new file', async () => {
    const place = project(owning('a.txt'));
    model().answer(({ number }) => {
      if (number > 1) return edits(whole('a.txt', 'both\n'));
      place.write('a.txt', 'by hand\n');
      return edits(whole('a.txt', 'new\n', 'create'));
    });
    const ran = await place.run(server);
    expect(asksOf(ran)).toEqual(['first', 'again']);
    expect(model().calls[1]!.prompt).toContain('by hand');
    expect(place.read('a.txt')).toBe('both\n');
  });
});

describe('two streams of a workflow that change one file', () => {
  it('keep the change of each other', async () => {
    const place = workflow(
      {
        a: { description: 'A', plan: 'Task A', context: { files: ['f.txt'] } },
        b: { description: 'B', plan: 'Task B', context: { files: ['f.txt'] } },
      },
      { 'f.txt': 'top\nend\n' },
    );
    const both = Promise.withResolvers<void>();
    model().answer(async ({ prompt, number }) => {
      // Both are asked before either of them has an answer.
      if (number === 2) both.resolve();
      await both.promise;
      const name = prompt.includes('Task A') ? 'A' : 'B';
      const now = prompt.lastIndexOf('File: f.txt');
      const text = /```[^\n]*\n(.*?)```/s.exec(prompt.slice(now))![1]!;
      return edits(whole('f.txt', text.replace('end', `${name}\nend`)));
    });
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(place.read('f.txt').split('\n').sort()).toEqual(['', 'A', 'B', 'end', 'top']);
    expect(asksOf(ran)).toEqual(['first', 'first', 'again']);
  });
});

describe('a file that was shown in part', () => {
  const long = Array.from({ length: 40_000 }, (_, at) => `line ${at} of a long text`).join('\n');

  it('takes edits, and no whole text', async () => {
    const place = project(owning('a.txt', { maxTokens: 4000 }), { 'a.txt': `${long}\n` });
    model().answer(({ number }) =>
      edits(
        number === 1
          ? whole('a.txt', 'line 0 of a short text\n')
          : replace('a.txt', 'line 0 of a long text', 'LINE 0'),
      ),
    );
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(asksOf(ran)).toEqual(['first', 'again']);
    expect(model().calls[1]!.prompt).toContain('PARTIAL');
    expect(place.read('a.txt')).toBe(`${long.replace('line 0 of a long text', 'LINE 0')}\n`);
  });
});

describe('a file with brackets in its name', () => {
  it('is shown and written when owns and reads name it', async () => {
    const page = 'app/[slug]/page.tsx';
    const streams = {
      a: {
        name: 'A',
        owns: [page],
        reads: ['lib/[...all].ts', 'app/[lang]/'],
        plan: 'Change it.',
      },
    };
    const place = project(streams, {
      [page]: 'export const title = 1;\n',
      'lib/[...all].ts': 'export const all = 2;\n',
      'app/[lang]/one.ts': 'export const one = 3;\n',
      // What a set of characters would match.
      'app/s/page.tsx': 'export const other = 4;\n',
    });
    model().answer(() => edits(replace(page, 'title = 1', 'title = 10')));
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(place.read(page)).toBe('export const title = 10;\n');
    const { prompt } = model().calls[0]!;
    for (const shown of ['title = 1;', 'all = 2;', 'one = 3;']) expect(prompt).toContain(shown);
  });
});

describe('a file that was not shown as a whole', () => {
  const long = Array.from({ length: 2000 }, (_, at) => `line ${at} of a long text\n`).join('');

  it('is deleted only after it was shown', async () => {
    // Room for the beginning of the file, and no more.
    const place = project(owning('a.txt', { contextTokens: 1500 }), { 'a.txt': long });
    model().answer(() => edits('delete: a.txt\n'));
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(asksOf(ran)).toEqual(['first', 'again']);
    expect(model().calls[0]!.prompt).not.toContain('line 1999 of');
    expect(model().calls[1]!.prompt).toContain('line 1999 of');
    expect(model().calls[1]!.prompt).toContain('UNSEEN');
    expect(place.exists('a.txt')).toBe(false);
  });

  it('is not deleted when it cannot be shown', async () => {
    const place = project(owning('*.bin'), { 'a.bin': 'a\0b' });
    model().answer(() => edits('delete: a.bin\n'));
    const ran = await place.run(server, { maxAttempts: 1 });
    expect(ran.status).toBe('failed');
    expect(place.exists('a.bin')).toBe(true);
  });
});

describe('an answer of which a part cannot be used', () => {
  it('is asked for that part alone, and a file that comes with it counts', async () => {
    const owns = { a: { name: 'A', owns: ['*.txt'], plan: 'Do it.' } };
    const place = project(owns, { 'a.txt': 'one\n', 'b.txt': 'two\n' });
    model().answer(({ number }) =>
      number === 1
        ? edits(replace('a.txt', 'one', 'ONE'), replace('b.txt', 'nowhere', 'x'))
        : edits(replace('b.txt', 'two', 'TWO'), whole('c.txt', 'new\n', 'create')),
    );
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    const { 'millrace.yaml': _, ...files } = place.tree();
    expect(files).toEqual({ 'a.txt': 'ONE\n', 'b.txt': 'TWO\n', 'c.txt': 'new\n' });
    const { prompt } = model().calls[1]!;
    expect(prompt).toContain('Hand in the changes of b.txt again, and nothing else');
    // It is in the beginning of the prompt as it is now.
    expect(prompt.split('two\n')).toHaveLength(2);
  });

  it('does not pass when the part never comes', async () => {
    const owns = { a: { name: 'A', owns: ['*.txt'], plan: 'Do it.' } };
    const place = project(owns, { 'a.txt': 'one\n', 'b.txt': 'two\n' });
    model().answer(({ number }) =>
      number === 1
        ? edits(replace('a.txt', 'one', 'ONE'), replace('b.txt', 'nowhere', 'x'))
        : edits(replace('a.txt', 'one', 'ONE')),
    );
    const ran = await place.run(server, { maxAttempts: 1 });
    expect(ran.status).toBe('failed');
    expect(place.streams()['a']!.error).toContain('b.txt');
    expect(place.read('a.txt')).toBe('one\n');
  });

  it('may hold nothing at all at first', async () => {
    const place = project(owning('a.txt'));
    model().answer(({ number }) =>
      number === 1 ? 'I would create a file.' : edits(whole('a.txt', 'x\n', 'create')),
    );
    const ran = await place.run(server);
    expect(asksOf(ran)).toEqual(['first', 'again']);
    expect(place.read('a.txt')).toBe('x\n');
    expect(model().calls[1]!.prompt).toContain('I would create a file.');
  });
});

describe('an answer that was cut off', () => {
  it('is asked for with twice the tokens', async () => {
    const place = project(owning('a.txt'));
    model().answer(({ maxTokens }) =>
      maxTokens === 1000
        ? { text: edits(whole('a.txt', `${'word '.repeat(900)}\n`, 'create')), isCutOff: true }
        : edits(whole('a.txt', 'all of it\n', 'create')),
    );
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(asksOf(ran)).toEqual(['first', 'longer']);
    expect(model().calls.map(({ maxTokens }) => maxTokens)).toEqual([1000, 2000]);
    expect(model().calls[1]!.prompt).toBe(model().calls[0]!.prompt);
  });
});

describe('a file that would not be valid', () => {
  it.each([
    ['a.ts', 'export const one = (1;\n', 'export const one = 1;\n'],
    ['a.json', '{ "a": 1, }\n', '{ "a": 1 }\n'],
    ['a.yaml', 'a: [1, 2\nb: 3\n', 'a: [1, 2]\nb: 3\n'],
    ['b.ts', "import { x } from './gone.js';\nx();\n", 'export {};\n'],
  ])('is asked for again before it is written: %s', async (path, bad, good) => {
    const place = project(owning(path));
    model().answer(({ number }) => edits(whole(path, number === 1 ? bad : good, 'create')));
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(asksOf(ran)).toEqual(['first', 'again']);
    expect(place.read(path)).toBe(good);
    expect(ran.of('a').filter((type) => type === 'stream.applied')).toHaveLength(1);
  });

  it('is left to the commands of the stream when the model insists', async () => {
    const bad = 'export const one = (1;\n';
    const place = project(owning('a.ts', { verify: ['true'] }));
    model().answer(() => edits(whole('a.ts', bad, 'create')));
    expect((await place.run(server)).status).toBe('complete');
    expect(place.read('a.ts')).toBe(bad);
  });

  it('may import what another stream is going to write', async () => {
    const place = project({
      a: { name: 'A', owns: ['a.ts'], plan: 'Do it.' },
      b: { name: 'B', owns: ['b.ts'], deps: ['a'], plan: 'Do it.' },
    });
    model().answer(({ prompt }) =>
      prompt.includes('# Task: A')
        ? edits(whole('a.ts', "export * from './b.ts';\n", 'create'))
        : edits(whole('b.ts', 'export {};\n', 'create')),
    );
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(asksOf(ran)).toEqual(['first', 'first']);
  });
});

describe('a stream that asks for files', () => {
  it('is shown those that the project shows, on the same beginning', async () => {
    const place = project(owning('a.txt'), {
      'src/deep.ts': 'export const deep = 1;\n',
      '.env': 'SECRET=1\n',
      'a.txt': 'one\n',
    });
    model().answer(({ number }) =>
      number === 1
        ? edits('read: src/deep.ts', 'read: .env', 'read: ../../etc/passwd')
        : edits(replace('a.txt', 'one', 'deep')),
    );
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(asksOf(ran)).toEqual(['first', 'files']);
    const [first, second] = model().calls;
    expect(second!.prompt.startsWith(first!.prompt)).toBe(true);
    expect(second!.prompt).toContain('export const deep = 1;');
    expect(second!.prompt).not.toContain('SECRET');
    expect(place.read('a.txt')).toBe('deep\n');
  });

  it('does not pay for a round twice when the process goes away in it', async () => {
    const place = project(owning('a.txt'), { 'a.txt': 'one\n', 'b.txt': 'two\n' });
    model().answer(({ number }) =>
      number === 1 ? edits('read: b.txt') : edits(replace('a.txt', 'one', 'two')),
    );
    const first = await place.run(server, {
      onEvent: (event) => {
        if (event.type === 'stream.job' && event.call === 2) throw new Error('gone');
      },
    });
    expect(first.status).toBe('paused');
    const second = await place.run(server);
    expect(second).toMatchObject({ runId: first.runId, status: 'complete' });
    expect(place.read('a.txt')).toBe('two\n');
    expect(model().calls).toHaveLength(2);
    const answers = second.events.filter(({ type }) => type === 'stream.answer');
    expect(answers).toHaveLength(1);
    expect(second.totals.tokens.input).toBeGreaterThan(
      Math.floor(model().calls[0]!.prompt.length / 4) * 2,
    );
  });

  it('gets so many rounds and no more', async () => {
    const place = project(owning('a.txt'), { 'b.txt': 'b\n' });
    model().answer(() => edits('read: b.txt'));
    const ran = await place.run(server, { maxAttempts: 1 });
    expect(ran.status).toBe('failed');
    expect(asksOf(ran)).toEqual(['first', 'files', 'files', 'files', 'again', 'again']);
  });
});
