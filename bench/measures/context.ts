// How much it costs to collect what a model is shown, in a project of thousands of files: the first
// time, for many streams at the same time, and again and again while files come and change.
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createContextCollector } from '../../src/orchestrator/context/collect.ts';
import type { ContextRequest } from '../../src/orchestrator/context/candidates.ts';
import { cpuMs } from '../harness/clock.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';
import { sequence } from './learn.ts';

const FOLDERS = 500;
const FILES_IN_EACH = 10;
const AT_ONCE = 64;
const CHANGES = 200;
const ROUNDS = 5;

const folderOf = (folder: number) => `packages/p${folder % 50}/src/part-${folder}`;
const nameOf = (folder: number, file: number) => `module-${folder}-${file}`;

/** Two names of the same folder, one of another by its path and one by an alias, one of a package. */
function textOf(folder: number, pick: (below: number) => number): string {
  const beside = () => `./${nameOf(folder, pick(FILES_IN_EACH))}.ts`;
  const other = pick(FOLDERS);
  const aliased = pick(FOLDERS);
  const lines = Array.from(
    { length: 20 },
    (_, at) => `export const value${at} = first(${at}) + second(${pick(1000)});`,
  );
  return [
    `import { first } from '${beside()}';`,
    `import { second } from '${beside()}';`,
    `import type { Third } from '../../../p${other % 50}/src/part-${other}/${nameOf(other, 0)}';`,
    `import { fourth } from '@/p${aliased % 50}/src/part-${aliased}/${nameOf(aliased, 1)}.js';`,
    `import { fifth } from 'some-package';`,
    ...lines,
    `export function last(a: Third): number {\n  return fourth(fifth(a));\n}\n`,
  ].join('\n');
}

/** 5,000 sources that import each other. */
export function makeProject(root: string): void {
  const pick = sequence(5);
  writeFileSync(join(root, '.gitignore'), 'dist/\n*.log\n/coverage\n**/*.tmp\n!keep.log\n');
  writeFileSync(join(root, 'package.json'), '{ "name": "large", "type": "module" }\n');
  writeFileSync(
    join(root, 'tsconfig.json'),
    '{ "compilerOptions": { "paths": { "@/*": ["./packages/*"] } } }\n',
  );
  for (let folder = 0; folder < FOLDERS; folder++) {
    mkdirSync(join(root, folderOf(folder)), { recursive: true });
    for (let file = 0; file < FILES_IN_EACH; file++) {
      const path = `${folderOf(folder)}/${nameOf(folder, file)}.ts`;
      writeFileSync(join(root, path), textOf(folder, pick));
    }
  }
}

function filesOf(root: string): string[] {
  return Array.from({ length: FOLDERS * FILES_IN_EACH }, (_, at) => {
    const folder = Math.floor(at / FILES_IN_EACH);
    return join(root, folderOf(folder), `${nameOf(folder, at % FILES_IN_EACH)}.ts`);
  });
}

function requestOf(stream: number): ContextRequest {
  const folder = (stream * 37) % FOLDERS;
  const read = (stream * 91) % FOLDERS;
  return {
    owns: [`${folderOf(folder)}/new-${stream}.ts`, `${folderOf(folder)}/${nameOf(folder, 3)}.ts`],
    reads: [`${folderOf(read)}/`, `${folderOf(folder)}/*-2.ts`],
    plan: `Add what ${nameOf(read, 4)}.ts has, and use it in \`${nameOf(folder, 5)}.ts\`.`,
    depth: 'moderate',
    tokenBudget: 60_000,
  };
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = cpuMs();
  await work();
  return cpuMs() - before;
}

async function medianCpu(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await cpuOf(work));
  return median(times);
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

function heapMiB(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

export async function measureContext(): Promise<Figure[]> {
  const { path: root, remove } = tempFolder('context');
  try {
    makeProject(root);
    const before = heapMiB();
    const collector = createContextCollector({ root });
    const first = await cpuOf(() => collector.collect(requestOf(0)));
    const atOnce = () =>
      Promise.all(Array.from({ length: AT_ONCE }, (_, at) => collector.collect(requestOf(at))));
    const readByAll = await cpuOf(atOnce);
    const alone = await medianCpu(() => collector.collect(requestOf(0)));
    const all = await medianCpu(atOnce);
    const files = filesOf(root);
    const floor = await medianCpu(() => {
      for (const file of files) lstatSync(file);
      return Promise.resolve();
    });
    const pick = sequence(9);
    const changes: number[] = [];
    for (let at = 0; at < CHANGES; at++) {
      const folder = pick(FOLDERS);
      const name = at % 2 === 0 ? `added-${at}` : nameOf(folder, pick(FILES_IN_EACH));
      writeFileSync(join(root, folderOf(folder), `${name}.ts`), textOf(folder, pick));
      changes.push(await cpuOf(() => collector.collect(requestOf(at))));
    }
    const kept = heapMiB() - before;
    // Asked once more: what nobody needs any longer would have been thrown away.
    await collector.collect(requestOf(0));
    const size = (FOLDERS * FILES_IN_EACH).toLocaleString('en-US');
    return [
      {
        id: 'context',
        what: `context of a stream in ${size} files, the first time`,
        value: first,
        unit: 'ms CPU',
      },
      {
        id: 'context',
        what: `context of ${AT_ONCE} streams at once, of which each reads other files`,
        value: readByAll,
        unit: 'ms CPU',
        beside: { what: 'the first time', value: first },
        goal: { ratioAtMost: 1 },
      },
      {
        id: 'context',
        what: `each of ${AT_ONCE} streams at once, whose files are known`,
        value: all / AT_ONCE,
        unit: 'ms CPU',
        beside: { what: 'one alone', value: alone },
        goal: { atMost: 3 },
      },
      {
        id: 'context',
        what: `context of a stream, a file changed before (median of ${CHANGES})`,
        value: median(changes),
        unit: 'ms CPU',
        beside: { what: 'to ask for the times of each file', value: floor },
        goal: { atMost: 15 },
      },
      {
        id: 'context',
        what: `kept by the collector of ${size} files`,
        value: kept,
        unit: 'MiB',
        goal: { atMost: 64 },
      },
    ];
  } finally {
    remove();
  }
}
