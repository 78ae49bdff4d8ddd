// The repository's instructions among the files of an execution.
import { mkdir, mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileTree } from '../../src/domain/execution/file-tree.ts';
import type { Step } from '../../src/domain/execution/model.ts';
import { planPrompt, stepPrompt } from '../../src/domain/execution/prompts.ts';
import { runEither } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { clientOf } from './execution.ts';

const TITLE = '# Instructions of the repository';
const contents = {
  'AGENTS.md': 'Rule of the root.\n',
  'src/AGENTS.md': 'Rule of the source.\n',
  'docs/AGENTS.md': 'Rule of the pages.\n',
  'src/a.ts': 'export const a = 1;\n',
};
const context = { files: Object.keys(contents), contents, environment: 'default' };
const sha256 = () => 'ab'.repeat(32);
const times = (text: string, part: string) => text.split(part).length - 1;

function ask(owns: string[], position = 0) {
  const planned = { streamId: `s${position}`, name: 'S', wave: 1, plan: 'Do it.', deps: [] };
  const state = { status: 'pending' as const, tries: 0, jobId: null, reservedUsd: 0, note: null };
  const lists = { owns, reads: [], waitsFor: [] };
  const step: Step = { ...planned, ...lists, ...state, position, maxTokens: null };
  const tree = createFileTree(contents);
  return stepPrompt({ task: 'All of it.', context, step, stepCount: 2, tree, sha256 });
}

describe("the repository's instructions among the files of a task", () => {
  it('of the root are instructions for the plan', () => {
    const prompt = planPrompt({ task: 'All of it.', context, maxSteps: 3, sha256 });
    expect(prompt.indexOf(TITLE)).toBeLessThan(prompt.indexOf('# Files of the project'));
    expect(prompt.indexOf('Rule of the root.')).toBeLessThan(prompt.indexOf('# Files of the'));
    expect(times(prompt, 'Rule of the root.')).toBe(1);
    const none = { ...context, contents: { 'src/a.ts': contents['src/a.ts'] } };
    expect(planPrompt({ task: 'x', context: none, maxSteps: 3, sha256 })).not.toContain(TITLE);
  });

  it('are instructions for a step from the root down to its folder', () => {
    const first = ask(['src/a.ts']);
    const begun = first.structuredPrompt.projectContext;
    expect(begun.startsWith(TITLE)).toBe(true);
    const section = begun.slice(0, begun.indexOf('# Files of the project'));
    expect([...section.matchAll(/^File: (.+)$/gm)].map(([, path]) => path)).toEqual([
      'AGENTS.md',
      'src/AGENTS.md',
    ]);
    expect(times(first.prompt, 'Rule of the source.')).toBe(1);
    const second = ask(['src/new.ts'], 1).structuredPrompt.projectContext;
    expect(second.slice(0, section.length)).toBe(section);
    expect(ask(['AGENTS.md']).structuredPrompt.streamContext).toContain('File: AGENTS.md\n');
  });
});

describe('millrace exec', () => {
  const server = useServer();
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-exec-instructions-'));
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src/a.ts'), 'export const a = 1;\n');
    await writeFile(join(folder, 'AGENTS.md'), 'Rule of the root.\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function sent(...args: string[]): Promise<string[]> {
    const { key } = await server().createKey();
    const settings = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
    const words = ['-C', folder, 'exec', 'Do it', '--model', 'sim-instant', ...args];
    const { stdout, stderr, code } = await runEither(words, settings);
    expect(code, stderr).toBe(0);
    const id = stdout.trim();
    await clientOf(server(), key).ended(id);
    const { rows } = await server().db.query<{ context: string }>(
      'select context from executions where id = $1',
      [id],
    );
    return Object.keys((JSON.parse(rows[0]!.context) as { contents: object }).contents);
  }

  it('sends the instructions of the root along with files, unless it is asked not to', async () => {
    expect(await sent('--files', 'src')).toEqual(['AGENTS.md', 'src/a.ts']);
    expect(await sent('--files', 'src', '--no-instructions')).toEqual(['src/a.ts']);
    expect(await sent()).toEqual([]);
  });

  it('sends no link, nothing that is ignored, and nothing that cannot be sent', async () => {
    await unlink(join(folder, 'AGENTS.md'));
    await symlink('src/a.ts', join(folder, 'AGENTS.md'));
    expect(await sent('--files', 'src')).toEqual(['src/a.ts']);
    await writeFile(join(folder, 'CLAUDE.md'), 'Rule of the root.\n');
    expect(await sent('--files', 'src')).toEqual(['CLAUDE.md', 'src/a.ts']);
    await writeFile(join(folder, 'CLAUDE.md'), 'x'.repeat(300 * 1024));
    expect(await sent('--files', 'src')).toEqual(['src/a.ts']);
    await writeFile(join(folder, 'CLAUDE.md'), 'Rule of the root.\n');
    await writeFile(join(folder, '.gitignore'), 'CLAUDE.md\n');
    expect(await sent('--files', 'src')).toEqual(['src/a.ts']);
  });
});
