import { expect, it } from 'vitest';
import { readCachingHints } from '../../src/domain/prompt/caching-hints.ts';

it('reads which parts to cache and for how long, by either name of a part', () => {
  const hints = [
    { part: 'system', ttl: '1h' },
    { part: 'projectContext', cacheable: false },
    { part: 'stream', ttl: '5m' },
  ];
  expect(readCachingHints(hints)).toEqual({
    systemContent: '1h',
    projectContext: 'none',
    streamContext: '5m',
  });
});

it('leaves out what it does not understand', () => {
  const hints = [null, 7, 'system', {}, { part: 'task', ttl: '1h' }, { part: 'system', ttl: '2d' }];
  expect(readCachingHints(hints)).toEqual({});
});
