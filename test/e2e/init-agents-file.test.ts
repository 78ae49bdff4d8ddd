// The AGENTS.md that `init` writes where it is asked to.
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { runEither } from '../support/run-here.ts';

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'millrace-agents-file-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

async function project(files: Record<string, string> = {}) {
  const folder = await mkdtemp(join(base, 'project-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const settings = { XDG_CONFIG_HOME: join(base, 'no-settings') };
  return {
    folder,
    read: (name: string) => readFile(join(folder, name), 'utf8'),
    millrace: (args: readonly string[]) => runEither(['-C', folder, ...args], settings),
  };
}

describe('millrace init --agents-file', () => {
  it('writes an AGENTS.md where it is asked to, with what is in the folder', async () => {
    const { millrace, read } = await project({
      'package.json':
        '{"scripts":{"test":"vitest","pretest":"x","build":"vite build","odd":"echo `date`"}}',
      'src/a.ts': '',
      'src/b.ts': '',
      'test/a.py': '',
      'docs/index.md': '',
    });
    const made = JSON.parse((await millrace(['init', '--agents-file', '--json'])).stdout) as object;
    expect(made).toMatchObject({ file: 'millrace.yaml', agentsFile: 'AGENTS.md' });
    const [title, ...lines] = (await read('AGENTS.md')).split('\n');
    expect(title).toMatch(/^# /);
    expect(lines).toEqual([
      '',
      'Languages: TypeScript, Python.',
      '',
      '## Commands',
      '',
      '- `npm test` runs `vitest`',
      '- `npm run build` runs `vite build`',
      '- `npm run odd`',
      '',
      '## Folders',
      '',
      '- `src/`: sources',
      '- `test/`: tests',
      '- `docs/`: documentation',
      '',
    ]);
    const { stdout } = await millrace(['plan', '--context']);
    expect(stdout).toContain('AGENTS.md  instructions');
  });

  it.each([
    ['AGENTS.md', 'AGENTS.md is there already and was left as it is.'],
    ['CLAUDE.md', 'CLAUDE.md is there already and was left as it is.'],
  ])('leaves an existing %s as it is, and writes none beside it', async (name, text) => {
    const { millrace, read, folder } = await project({ [name]: 'Mine.\n', 'src/a.ts': '' });
    const { code, stderr } = await millrace(['init', '--agents-file']);
    expect(code).toBe(EXIT.ok);
    expect(stderr).toContain(text);
    expect(await read(name)).toBe('Mine.\n');
    const both = (await readdir(folder)).filter((each) => /^(?:AGENTS|CLAUDE)\.md$/.test(each));
    expect(both).toEqual([name]);
  });

  it('has nothing to write into an AGENTS.md of an empty folder', async () => {
    const { millrace, folder } = await project();
    const { code, stderr } = await millrace(['init', '--agents-file']);
    expect(code).toBe(EXIT.ok);
    expect(stderr).toContain('No AGENTS.md was written');
    expect(await readdir(folder)).not.toContain('AGENTS.md');
  });
});
