// A simulated run in a project that has files: it may add to them, and takes nothing away.
import { describe, expect, it } from 'vitest';
import { useProjects } from './use-projects.ts';

const { server, project } = useProjects();

const owning = (...owns: string[]) => ({ a: { name: 'A', owns, plan: 'Improve it.' } });
const long = (line: (number: number) => string) =>
  Array.from({ length: 1200 }, (_, number) => `${line(number)}\n`).join('');

/** Files of a real project: what can go wrong with each is in its text. */
const FILES: Record<string, { text: string; mark: string }> = {
  'src/a.ts': { text: long((n) => `export const a${n} = ${n};`), mark: '// ' },
  'src/closed.ts': { text: long(() => 'function f() {\n}'), mark: '// ' },
  'src/unended.go': { text: 'package a\n\nfunc A() {\n}', mark: '// ' },
  'src/windows.cs': { text: 'class A\r\n{\r\n}\r\n', mark: '// ' },
  'app.py': { text: 'def f():\n    return 1\n', mark: '# ' },
  'query.sql': { text: 'select 1;\n', mark: '-- ' },
  'style.css': { text: 'a {\n}\n', mark: '/* ' },
  'README.md': { text: '# Title\n\nFile: src/a.ts\n\n```ts\nFile: app.py\n```\n', mark: '<!-- ' },
};

describe('a simulated run', () => {
  it('adds one marked line to each file that exists, in the comments of its language', async () => {
    const texts = Object.fromEntries(Object.entries(FILES).map(([path, { text }]) => [path, text]));
    const place = project(owning(...Object.keys(FILES)), texts);
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    for (const [path, { text, mark }] of Object.entries(FILES)) {
      const now = place.read(path);
      const isEnded = text.endsWith('\n');
      expect(now.startsWith(text), path).toBe(true);
      const added = isEnded ? now.slice(text.length) : now.slice(text.length + 1);
      expect(added.startsWith(`${mark}Written by the simulator for a. `), path).toBe(true);
      expect(added.endsWith('\n'), path).toBe(isEnded);
      expect(added.trim().split('\n'), path).toHaveLength(1);
      expect(now.includes('\r\n') && /[^\r]\n/.test(now), path).toBe(false);
    }
  });

  it('leaves files without comments as they are', async () => {
    const texts = {
      'list.json': '[1, 2]\n',
      'package.json': '{\n  "name": "a"\n}\n',
      'rows.csv': 'a,b\n1,2\n',
      LICENSE: 'Do what you want.\n',
      Makefile: 'all:\n\techo a \\\n',
    };
    const place = project(owning(...Object.keys(texts), 'src/new.ts'), texts);
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    for (const [path, text] of Object.entries(texts)) expect(place.read(path)).toBe(text);
    expect(place.read('src/new.ts')).toMatch(/^\/\/ Written by the simulator for a\.\n/);
  });

  it('takes nothing from a file of which the model is shown a part', async () => {
    const big = long((n) => `export function f${n}() {\n  return ${n};\n}`);
    const stream = { ...owning('big.ts').a, contextTokens: 2000 };
    const place = project({ a: stream }, { 'big.ts': big });
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(place.read('big.ts')).toBe(big);
  });
});
