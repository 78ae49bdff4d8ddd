// What must hold for every composed plan, over random projects and disturbed proposals.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compose } from '../../../src/manifest/compose/compose.ts';
import type { ComposedPlan } from '../../../src/manifest/compose/compose.ts';
import { hubKindOf, hubsOf } from '../../../src/manifest/compose/hub-files.ts';
import { judgeEntry } from '../../../src/manifest/compose/judge-entry.ts';
import { readProposal } from '../../../src/manifest/compose/proposal.ts';
import type { Proposal } from '../../../src/manifest/compose/proposal.ts';
import type { Repository } from '../../../src/manifest/compose/repository.ts';
import { writeManifest } from '../../../src/manifest/compose/write-manifest.ts';
import type { FeatureManifest } from '../../../src/manifest/model.ts';
import { patternsOverlap } from '../../../src/manifest/patterns/overlap.ts';
import { filePattern } from '../../../src/manifest/patterns/pattern.ts';
import { planStreams } from '../../../src/manifest/plan.ts';
import { patternsOf } from '../../../src/manifest/stream-graph.ts';
import { parseManifest } from '../../../src/manifest/text/parse.ts';
import { effort } from '../../support/effort.ts';
import { anyProposal, anyRepository } from './any-proposal.ts';

const RUNS = { numRuns: effort(200) };

/** As it arrives: through the reader. */
function read(given: Proposal): Proposal {
  const answer = readProposal(given);
  if (answer.kind === 'invalid') throw new Error(answer.problems.join(' '));
  return answer.proposal;
}

function forEveryPlan(
  check: (plan: ComposedPlan, proposal: Proposal, repository: Repository) => void,
) {
  fc.assert(
    fc.property(anyRepository, anyProposal, (repository, given) => {
      const proposal = read(given);
      const composed = compose(proposal, repository);
      if (composed.kind === 'composed') check(composed.plan, proposal, repository);
    }),
    RUNS,
  );
}

function parsed(plan: ComposedPlan): FeatureManifest {
  const text = writeManifest(plan);
  const { manifest, problems } = parseManifest(text) as ReturnType<typeof parseManifest> & {
    manifest?: FeatureManifest;
  };
  expect(
    problems.filter(({ severity }) => severity === 'error'),
    text,
  ).toEqual([]);
  return manifest as FeatureManifest;
}

const overlap = (a: readonly string[], b: readonly string[]) =>
  patternsOf(a).some((x) => patternsOf(b).some((y) => patternsOverlap(x, y)));

function ancestorsOf(id: string, plan: ComposedPlan): Set<string> {
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const dep of plan.streams.find((stream) => stream.id === next)!.deps) {
      if (!found.has(dep)) open.push(dep);
      found.add(dep);
    }
  }
  return found;
}

describe('a composed plan', () => {
  test('is a manifest without errors that says what was composed', () => {
    forEveryPlan((plan) => {
      const manifest = parsed(plan);
      expect([...manifest.streams.keys()]).toEqual(plan.streams.map(({ id }) => id));
      for (const stream of plan.streams) {
        const {
          name,
          plan: text = '',
          owns,
          reads,
          deps,
          setup,
          verify,
        } = manifest.streams.get(stream.id)!;
        expect({ id: stream.id, name, plan: text, owns, reads, deps, setup, verify }).toEqual(
          stream,
        );
      }
    });
  });

  test('orders every two streams that own one file by deps', () => {
    forEveryPlan((plan) => {
      const order = planStreams(new Map(plan.streams.map((stream) => [stream.id, stream])));
      expect(order.kind).toBe('planned');
      for (const [at, a] of plan.streams.entries()) {
        for (const b of plan.streams.slice(at + 1)) {
          if (!overlap(a.owns, b.owns)) continue;
          const isOrdered = ancestorsOf(a.id, plan).has(b.id) || ancestorsOf(b.id, plan).has(a.id);
          expect(isOrdered, `${a.id} and ${b.id}`).toBe(true);
        }
      }
    });
  });

  test('covers every proposed file that a stream may write', () => {
    forEveryPlan((plan, proposal, repository) => {
      const owns = plan.streams.flatMap((stream) => stream.owns);
      for (const entry of proposal.streams.flatMap((stream) => stream.owns)) {
        const judged = judgeEntry(entry, repository);
        if (judged.kind === 'refused') continue;
        for (const file of judged.entries) {
          const spelled = repository.spelled(file);
          const isCovered = owns.some(
            (own) => own.toLowerCase() === spelled.toLowerCase() || overlap([own], [spelled]),
          );
          expect(isCovered, file).toBe(true);
        }
      }
    });
  });

  test('has nothing in it that no stream may write', () => {
    forEveryPlan((plan, _, repository) => {
      for (const { owns, reads } of plan.streams) {
        expect(owns).not.toEqual([]);
        for (const entry of [...owns, ...reads]) {
          expect(entry).not.toMatch(/^\/|\.\.|^~|\.git\b|\.env|\\|\p{Cc}/iu);
          expect(judgeEntry(entry, repository)).toEqual({ kind: 'kept', entries: [entry] });
        }
      }
    });
  });

  test('has each hub in one stream', () => {
    forEveryPlan((plan, _, repository) => {
      for (const hub of hubsOf(repository)) {
        const owners = plan.streams.filter(({ owns }) =>
          patternsOf(owns).some((pattern) => patternsOverlap(pattern, filePattern(hub))),
        );
        expect(owners.length, `${hub} ${hubKindOf(hub, repository)}`).toBeLessThan(2);
      }
    });
  });

  test('has commands of the project only, and a check in every stream', () => {
    forEveryPlan((plan) => {
      for (const { setup, verify } of plan.streams) {
        expect(verify.length).toBeGreaterThan(0);
        for (const command of [...setup, ...verify]) {
          expect(command).toMatch(/^(?:npm ci|npm test|npm run lint|npx vitest run [\w./ ]+)$/);
        }
      }
    });
  });

  test('composed again stays as it is, without a word', () => {
    forEveryPlan((plan, _, repository) => {
      const again = compose(read(plan), repository);
      expect(again).toEqual({ kind: 'composed', plan: { ...plan, remarks: [] } });
    });
  });

  test('read from its own manifest and composed again stays as it is', () => {
    forEveryPlan((plan, _, repository) => {
      const { feature, streams } = parsed(plan);
      const answer = readProposal({ feature, streams: [...streams.values()] });
      expect(answer.kind).toBe('proposal');
      if (answer.kind === 'invalid') return;
      const again = compose(answer.proposal, repository);
      expect(again).toEqual({ kind: 'composed', plan: { ...plan, remarks: [] } });
    });
  });
});
