import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { estimateTokenCount } from 'tokenx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent, RunEventBody } from '../../src/contract/run-events.ts';
import type { Manifest } from '../../src/manifest/model.ts';
import { createContextCollector } from '../../src/orchestrator/context/collect.ts';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { WITHOUT_INSTRUCTIONS } from '../../src/orchestrator/run/instructions.ts';
import { sharedReadsOf } from '../../src/orchestrator/run/shared-reads.ts';
import { contextRequestOf, promptOf } from '../../src/orchestrator/run/stream-prompt.ts';
import { toTask } from '../../src/orchestrator/run/task.ts';
import type { RunTask } from '../../src/orchestrator/run/task.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-shared-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function task(id: string, reads: string[], more: Partial<RunTask> = {}): RunTask {
  return {
    id,
    name: id,
    plan: id,
    owns: [`out/${id}.ts`],
    reads,
    depth: 'minimal',
    setup: [],
    verify: [],
    commands: [],
    timeoutMs: 60_000,
    agent: 'answer',
    maxTurns: 40,
    network: 'models',
    model: 'sim-standard',
    ladder: ['sim-standard'],
    rung: 0,
    maxTokens: 1000,
    ...more,
  };
}

async function promptsOf(tasks: RunTask[]) {
  const context = {
    sharedReads: sharedReadsOf(tasks),
    instructions: WITHOUT_INSTRUCTIONS,
    collector: createContextCollector({ root }),
    emit: (event: RunEventBody) => event as RunEvent,
  };
  const ask = async (one: RunTask) => promptOf(context, { task: one, attempt: 1, fix: undefined });
  return new Map(await Promise.all(tasks.map(async (one) => [one.id, await ask(one)] as const)));
}

const shared = (tasks: RunTask[]) =>
  Object.fromEntries(Array.from(sharedReadsOf(tasks), ([id, paths]) => [id, [...paths]]));

describe('files that several streams read', () => {
  it('are shown to those who read them, with the same bytes first for each group', async () => {
    const line = 'export const wheel = "turns and turns";\n';
    const groups = Array.from({ length: 16 }, (_, group) =>
      [0, 1, 2, 3].map((at) => `lib/g${group}/f${at}.ts`),
    );
    for (const path of groups.flat()) write(path, `// ${path}\n${line.repeat(300)}`);
    const tasks = groups.flatMap((files, group) =>
      [0, 1, 2, 3].map((at) => task(`s${group}-${at}`, files)),
    );
    const prompts = await promptsOf(tasks);
    const read = estimateTokenCount(`// ${groups[0]![0]}\n${line.repeat(300)}`) * 4;
    for (const { structuredPrompt: parts } of prompts.values()) {
      const tokens = estimateTokenCount(parts.projectContext + parts.streamContext);
      expect(tokens).toBeLessThan(read * 1.1);
      expect(tokens).toBeGreaterThan(read * 0.9);
    }
    const beginnings = Map.groupBy(
      prompts.values(),
      ({ structuredPrompt }) => structuredPrompt.projectContext,
    );
    expect([...beginnings.values()].map((same) => same.length)).toEqual(Array(16).fill(4));
  });

  it('come first only where another stream begins with the same files', () => {
    expect(
      shared([
        task('a', ['types.ts', 'x.ts', 'a.md']),
        task('b', ['./x.ts', 'types.ts']),
        task('c', ['types.ts', 'y.ts']),
        task('d', ['lib/', 'types.ts', 'z.ts']),
        task('e', ['types.ts', 'z.ts'], { model: 'sim-fast' }),
      ]),
    ).toEqual({
      a: ['types.ts', 'x.ts'],
      b: ['types.ts', 'x.ts'],
      c: ['types.ts'],
      d: ['types.ts'],
    });
  });

  it('are not those that a stream writes, nor those that only a fix reads again', () => {
    const reads = ['types.ts', 'notes.md'];
    const root = task('a', reads);
    expect(shared([root, task('a-fix-1', reads, { root: 'a' })])).toEqual({});
    const writer = task('w', [], { owns: ['*.md'] });
    expect(shared([root, task('b', reads), writer])).toEqual({
      a: ['types.ts'],
      b: ['types.ts'],
    });
  });

  it('begin the prompt of a fix as they began that of its root', async () => {
    write('types.ts', 'export type A = 1;\n');
    const tasks = [
      task('a', ['types.ts']),
      task('b', ['types.ts']),
      task('a-fix-1', ['types.ts'], { root: 'a' }),
    ];
    const prompts = await promptsOf(tasks);
    const begun = prompts.get('a')!.structuredPrompt.projectContext;
    expect(begun).toContain('File: types.ts');
    expect(prompts.get('a-fix-1')!.structuredPrompt.projectContext).toBe(begun);
  });
});

describe('how much of the project a stream is shown', () => {
  const budgets = (text: string, model?: string) => {
    const { manifest } = parseManifest(text) as { manifest: Manifest };
    const defaults = { model, fallbackModel: undefined };
    return [...manifest.streams.values()].map(
      (stream) => contextRequestOf(toTask(manifest, stream, defaults)).tokenBudget,
    );
  };

  it('follows the model, unless the manifest or the stream itself says it', () => {
    const streams = 'streams:\n  a: { name: A }\n  b: { name: B, contextTokens: 2000 }\n';
    expect(budgets(`feature: f\n${streams}`, 'gemini-2.5-pro')).toEqual([100_000, 2000]);
    expect(budgets(`feature: f\n${streams}`, 'gpt-4o')).toEqual([42_666, 2000]);
    expect(budgets(`feature: f\ncontextTokens: 9000\n${streams}`)).toEqual([9000, 2000]);
  });

  it('leaves room for instructions where a long answer takes most of the window', () => {
    const one = { path: 'AGENTS.md', text: 'x', included: 'full' as const, tokens: 5000 };
    const instructions = { files: [one], cut: [] };
    const budgetOf = (maxTokens: number) => {
      const asked = task('a', [], { model: 'gpt-4o', maxTokens });
      return [contextRequestOf(asked), contextRequestOf(asked, instructions)].map(
        ({ tokenBudget }) => tokenBudget,
      );
    };
    expect(budgetOf(1000)).toEqual([42_666, 42_666]);
    expect(budgetOf(100_000)).toEqual([20_000, 15_000]);
  });
});
