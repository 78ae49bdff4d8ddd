// Whether a composed plan holds what plans promise, and what running its streams side by side gains.
import { makespan } from '../../src/domain/run/makespan.ts';
import { compose } from '../../src/manifest/compose/compose.ts';
import { hubKindOf } from '../../src/manifest/compose/hub-files.ts';
import { readProposal } from '../../src/manifest/compose/proposal.ts';
import type { Repository } from '../../src/manifest/compose/repository.ts';
import { writeManifest } from '../../src/manifest/compose/write-manifest.ts';
import { planManifest } from '../../src/manifest/plan-manifest.ts';
import { filePattern } from '../../src/manifest/patterns/pattern.ts';
import { patternsOverlap } from '../../src/manifest/patterns/overlap.ts';
import { patternsOf } from '../../src/manifest/stream-graph.ts';
import { parseManifest } from '../../src/manifest/text/parse.ts';

const AT_A_TIME = 8;

export interface Judged {
  problems: string[];
  streams: number;
  /** Files of the change that the rules left out, with a comment that names each. */
  leftOut: number;
  /** Of the time that the streams take one after the other. */
  ofSequential: number;
  /** Of the time of one stream for each file, which wait for what they import. */
  ofFileByFile: number;
}

interface Work {
  id: string;
  owns: readonly string[];
  deps: readonly string[];
}

function timesOf(works: readonly Work[], { estimateMs }: Repository) {
  const weighed = works.map(({ id, owns, deps }) => ({
    id,
    weight: estimateMs([...owns].sort()) ?? 0,
    deps,
    after: [],
  }));
  const sum = weighed.reduce((total, { weight }) => total + weight, 0);
  return { sum, span: makespan(weighed, AT_A_TIME) };
}

/** The plainest way to split a change: each file by itself. Circles are broken by the order of the files. */
function fileByFile(files: readonly string[], { importsOf }: Repository): Work[] {
  return files.map((path, at) => ({
    id: path,
    owns: [path],
    deps: importsOf(path).filter((other) => files.slice(0, at).includes(other)),
  }));
}

export function judge(
  proposed: unknown,
  files: readonly string[],
  repository: Repository,
): Judged | string {
  const read = readProposal(proposed);
  if (read.kind === 'invalid') return read.problems.join(' ');
  const composed = compose(read.proposal, repository);
  if (composed.kind === 'unusable') return 'nothing usable is left';
  const { plan } = composed;
  const text = writeManifest(plan);
  const parsed = parseManifest(text, {});
  if (parsed.kind === 'invalid') return `invalid: ${parsed.problems[0]!.message}`;
  const order = planManifest(parsed.manifest);
  if (order.kind === 'cyclic') return 'has a cycle';
  const problems: string[] = [];
  for (const [id, { waitsFor }] of order.streams) {
    for (const wait of waitsFor) {
      if (wait.reason === 'owns') problems.push(`${id} and ${wait.id} write the same file`);
    }
  }
  const owners = (path: string) =>
    plan.streams.filter(({ owns }) =>
      patternsOf(owns).some((pattern) => patternsOverlap(pattern, filePattern(path))),
    );
  const remarks = plan.remarks.map((remark) => remark.text).join('\n');
  let leftOut = 0;
  for (const path of files) {
    const count = owners(path).length;
    if (count === 0) {
      leftOut += 1;
      if (!remarks.includes(path.slice(0, 100)) && !remarks.includes(' more'))
        problems.push(`nobody owns ${path}`);
    }
    if (count > 1 && hubKindOf(path, repository) !== undefined) {
      problems.push(`${count} streams own the hub ${path}`);
    }
  }
  const times = timesOf(plan.streams, repository);
  const owned = files.filter((path) => owners(path).length > 0);
  const single = timesOf(fileByFile(owned, repository), repository);
  return {
    problems,
    streams: plan.streams.length,
    leftOut,
    ofSequential: times.span / times.sum,
    ofFileByFile: times.span / single.span,
  };
}
