// P12: one change of state written into a large manifest, beside writing all of it anew.
import { dump, load } from 'js-yaml';
import { editManifest } from '../../src/manifest/edit/editor.ts';
import { now } from '../harness/clock.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';

const STREAMS = 5_000;
const CHANGES = 400;
const DUMPS = 5;

/** About 1.9 MB: comments, lists in both styles and a plan of a few lines for every stream. */
export function largeText(count: number): string {
  const streams = Array.from({ length: count }, (_, i) => {
    const dep = i === 0 ? '[]' : `[stream-${Math.floor(i / 2)}]`;
    return `  # What number ${i} is about
  stream-${i}:
    name: "Stream ${i}"
    deps: ${dep}
    owns:
      - src/part-${i % 100}/module-${i}.ts
      - src/part-${i % 100}/module-${i}.test.ts
    reads: [src/part-${i % 100}/index.ts, docs/part-${i % 100}.md]
    status: pending # kept by the orchestrator
    plan: |
      Write the module and its test.
      Everything that was exported before is exported afterwards, too.
`;
  });
  return `# All of it\nfeature: large\nstatus: running\nstreams:\n${streams.join('\n')}`;
}

function medianMs(rounds: number, work: (round: number) => number): number {
  const times = Array.from({ length: rounds }, (_, round) => {
    const before = now();
    const sign = work(round);
    if (sign === 0) throw new Error('nothing was written');
    return now() - before;
  });
  return median(times);
}

export function measureYamlWrite(): Promise<Figure[]> {
  const text = largeText(STREAMS);
  const editor = editManifest(text);
  const value = medianMs(CHANGES, (round) => {
    const id = `stream-${(round * 2003) % STREAMS}`;
    editor.set(id, 'status', round % 2 === 0 ? 'in_progress' : 'complete');
    const written = editor.toString();
    // A text that was put together may be copied only when somebody looks into it.
    return written.charCodeAt(written.length >> 1);
  });
  const document = load(text) as { streams: Record<string, { status: string }> };
  const floor = medianMs(DUMPS, (round) => {
    document.streams[`stream-${round}`]!.status = 'complete';
    return dump(document).length;
  });
  return Promise.resolve([
    {
      id: 'P12',
      what: `one state change written into a manifest of ${STREAMS} streams`,
      value,
      unit: 'ms',
      beside: { what: 'ms for js-yaml to dump the whole', value: floor },
      goal: { atMost: 3 },
    },
  ]);
}
