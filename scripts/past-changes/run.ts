// `node scripts/past-changes/run.ts [--changes 8] REPOSITORY...`: composes plans for past changes of real repositories,
// each proposed rightly and with every kind of mistake, and prints what held and what it gains. Repositories are folders
// that git can clone from; nothing in them is changed or run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { hubKindOf } from '../../src/manifest/compose/hub-files.ts';
import { surveyProject } from '../../src/planner/survey.ts';
import { scanProject } from '../../src/project/scan-project.ts';
import { createSnapshots } from '../../src/project/snapshots.ts';
import { openBefore, pastChanges } from './commits.ts';
import { DISTURBANCES, disturbed } from './disturbed.ts';
import { judge } from './judge.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { changes: { type: 'string', default: '8' } },
});

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
const percent = (share: number) => (Number.isNaN(share) ? '-' : `${Math.round(share * 100)} %`);
const nameOf = (repository: string) =>
  repository.split('/').findLast((part) => part !== '' && part !== 'repo' && part !== '.git')!;

interface Row {
  files: number;
  surveySeconds: number;
  mapTokens: number;
  streams: number[];
  sequential: number[];
  fileByFile: number[];
  leftOut: number;
  problems: string[];
}

async function examine(repository: string, folder: string): Promise<Row & { changes: number }> {
  const open = openBefore(repository, folder);
  const changes = pastChanges(repository, Number(values.changes));
  const row: Row = {
    files: 0,
    surveySeconds: 0,
    mapTokens: 0,
    streams: [],
    sequential: [],
    fileByFile: [],
    leftOut: 0,
    problems: [],
  };
  for (const change of changes) {
    open(change);
    const startedAt = performance.now();
    const survey = await surveyProject({
      root: folder,
      task: change.message,
      scan: await scanProject(folder, process.env),
      snapshots: createSnapshots(folder),
      model: undefined,
      instructions: true,
      protectedPaths: ['millrace.yaml'],
    });
    const { map } = await survey.request();
    row.surveySeconds = Math.max(row.surveySeconds, (performance.now() - startedAt) / 1000);
    row.mapTokens = Math.max(row.mapTokens, map.tokens);
    row.files = Math.max(row.files, map.files);
    const { repository: facts } = survey;
    for (const how of DISTURBANCES) {
      const proposed = disturbed(change.files, how, (path) => hubKindOf(path, facts) !== undefined);
      const judged = judge(proposed, change.files, facts);
      const place = `${change.id.slice(0, 10)} ${how}`;
      if (typeof judged === 'string') {
        row.problems.push(`${place}: ${judged}`);
        continue;
      }
      row.problems.push(...judged.problems.map((problem) => `${place}: ${problem}`));
      row.streams.push(judged.streams);
      row.sequential.push(judged.ofSequential);
      row.fileByFile.push(judged.ofFileByFile);
      row.leftOut += judged.leftOut;
    }
  }
  return { ...row, changes: changes.length };
}

const base = mkdtempSync(join(tmpdir(), 'millrace-past-changes-'));
const problems: string[] = [];
let changes = 0;
let plans = 0;
try {
  console.log(
    'repository | files | changes | plans | streams (median, most) | of sequential (median, best) | of file by file | left out | map tokens | survey',
  );
  for (const repository of positionals) {
    const name = nameOf(repository);
    const row = await examine(repository, join(base, name));
    changes += row.changes;
    plans += row.streams.length;
    problems.push(...row.problems.map((problem) => `${name} ${problem}`));
    console.log(
      [
        name,
        row.files,
        row.changes,
        row.streams.length,
        `${median(row.streams)}, ${Math.max(...row.streams)}`,
        `${percent(median(row.sequential))}, ${percent(Math.min(...row.sequential))}`,
        percent(median(row.fileByFile)),
        row.leftOut,
        row.mapTokens,
        `${row.surveySeconds.toFixed(1)} s`,
      ].join(' | '),
    );
    rmSync(join(base, name), { recursive: true, force: true });
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
for (const problem of problems) console.log(problem);
console.log(`${changes} changes, ${plans} plans, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
