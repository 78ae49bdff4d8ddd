import { expect, it } from 'vitest';
import { recordNameOf, recordsOf } from '../../src/orchestrator/apply/state-folders.ts';

const LONG = 'long'.repeat(100);
const IDS = ['a', 'a-1', 'a-1-2', 'ä/b', LONG, `${LONG}x`];

it.each(IDS)('records of %.10s are told from all others by their names', (wanted) => {
  const place = { root: '.', stateDir: 's', runId: 'r' };
  const own = [1, 2, 12].map((attempt) => recordNameOf({ ...place, streamId: wanted, attempt }));
  const others = IDS.filter((id) => id !== wanted).flatMap((streamId) =>
    [1, 2, 12].map((attempt) => recordNameOf({ ...place, streamId, attempt })),
  );
  expect(recordsOf(new Set([wanted]), [...others, ...own])).toEqual(own);
});
