import { describe, expect, it, vi } from 'vitest';
import { decisiveLines } from '../../src/domain/run/decisive-lines.ts';
import { describeExplanation } from '../../src/cli/commands/runs/explain.ts';
import { explainRun } from '../../src/orchestrator/index.ts';
import type { RunState } from '../../src/orchestrator/index.ts';
import { projectionOf } from '../../src/domain/run/projection.ts';
import { createJsonView } from '../../src/cli/commands/runs/view/json-view.ts';
import { createProjector } from '../../src/domain/run/projection.ts';
import { plainLine } from '../../src/cli/commands/runs/view/plain-line.ts';
import { createPlainView } from '../../src/cli/commands/runs/view/plain-view.ts';
import { clip, pad, stripStyles, textWidth } from '../../src/cli/terminal/text-width.ts';
import type { RunEvent } from '../../src/contract/run-events.ts';
import {
  RUN_ID,
  START,
  answered,
  began,
  commandFailed,
  completed,
  createScript,
  failed,
  startOf,
} from './make-events.ts';

function explained(events: readonly RunEvent[], state: RunState) {
  return describeExplanation(explainRun(projectionOf(events), state));
}

function healingRun() {
  const script = createScript();
  script.at(
    0,
    startOf([
      ['search', 1],
      ['tests', 2, ['search']],
    ]),
    began('search', 1),
  );
  script.at(1, { type: 'stream.progress', stream: 'search', attempt: 1, outputTokens: 5 });
  script.at(2, answered('search'), commandFailed('search', 'AssertionError: 1 is not 2'));
  script.at(2, failed('search', 1));
  script.at(2, { type: 'stream.fix', stream: 'search', fix: 'search-fix-1', attempt: 2, of: 3 });
  script.at(2, began('search-fix-1', 1));
  return script;
}

describe('the plain view', () => {
  it('writes one line for each change and none for tokens', () => {
    const lines: string[] = [];
    const view = createPlainView({
      projector: createProjector(),
      write: (line) => lines.push(line),
      now: () => START,
    });
    for (const event of healingRun().events) view.follow(event);
    view.close();
    expect(lines).toEqual([
      `   0.0s  started     ${RUN_ID}  Shelves: 2 streams, sim-fast (simulated)`,
      '   0.0s  running     search  wave 1',
      '   2.0s              search  npm test exited with 1',
      '   2.0s  failed      search  npm test exited with 1',
      '   2.0s  fixing      search  search-fix-1, attempt 2 of 3',
      '   2.0s  running     search-fix-1  wave 1',
    ]);
  });

  it('says that it is alive when nothing has happened for a while', () => {
    vi.useFakeTimers({ now: START });
    try {
      const lines: string[] = [];
      const view = createPlainView({
        projector: createProjector(),
        write: (line) => lines.push(line),
        now: () => Date.now(),
      });
      for (const event of healingRun().events) view.follow(event);
      vi.advanceTimersByTime(20_000);
      // Something happens: the time without news begins anew.
      view.say('news');
      const before = lines.length;
      vi.advanceTimersByTime(29_999);
      expect(lines).toHaveLength(before);
      vi.advanceTimersByTime(1);
      expect(lines.slice(before)).toEqual(['  50.0s  running     1 stream: search-fix-1 48.0s']);
      vi.advanceTimersByTime(30_000);
      expect(lines).toHaveLength(before + 2);
      view.close();
      vi.advanceTimersByTime(60_000);
      expect(lines).toHaveLength(before + 2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('lets no sequence for terminals through from names and errors', () => {
    const lines: string[] = [];
    const projector = createProjector();
    const view = createPlainView({
      projector,
      write: (line) => lines.push(line),
      now: () => START,
    });
    const script = createScript();
    script.at(0, startOf([['a\u001b[2Jb', 1]]), {
      ...failed('a\u001b[2Jb', 1),
      error: '\u001b]0;x\u0007',
    } as never);
    for (const event of script.events) view.follow(event);
    view.close();
    expect(lines.join('\n')).not.toContain('\u001b');
  });
});

describe('the view of JSON lines', () => {
  it('passes events on as they are, and leaves out what has no number of its own', () => {
    const lines: string[] = [];
    const view = createJsonView({
      projector: createProjector(),
      write: (line) => lines.push(line),
    });
    const { events } = healingRun();
    const shownOnly = { ...events[2]!, seq: 2 } as RunEvent;
    for (const event of [...events.slice(0, 2), shownOnly, ...events.slice(2)]) view.follow(event);
    expect(lines.map((line) => JSON.parse(line) as RunEvent)).toEqual(events);
  });
});

describe('the width of a text', () => {
  it.each([
    ['plain', 5],
    ['検索', 4],
    ['🚀', 2],
    ['e\u0301', 1],
    ['✓ ⠋ └ …', 7],
    ['\u001b[31mred\u001b[0m', 3],
    ['한국어', 6],
    ['ｆｕｌｌ', 8],
  ])('of %j is %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it('is kept by cutting and filling, and no character is cut in half', () => {
    expect(clip('検索する', 5)).toBe('検索~');
    expect(clip('検索する', 6)).toBe('検索~');
    expect(clip('short', 5)).toBe('short');
    expect(clip('🚀🚀', 3)).toBe('🚀~');
    expect(pad('検索', 6)).toBe('検索  ');
    expect(stripStyles('\u001b[1;31ma\u001b[0m\u001b]8;;x\u0007b\r\nc')).toBe('ab\nc');
  });
});

it('lines of a log tell what a stream waits for', () => {
  const script = createScript();
  const of = { stream: 'search', attempt: 1 };
  const until = new Date(START + 5_000).toISOString();
  script.at(
    2,
    { type: 'stream.waiting', ...of, reason: 'retry', until, detail: 'it did not answer' },
    { type: 'stream.waiting', ...of, reason: 'files' },
    { type: 'stream.waiting', ...of, reason: 'key_paused', until },
    { type: 'stream.call', ...of, call: 2, key: 'k', reservedUsd: 0 },
    { type: 'stream.call', ...of, call: 3, key: 'k', reservedUsd: 0, asks: 'files' },
    { type: 'run.reverted', files: ['a.txt'], streams: ['search'] },
  );
  expect(script.events.map(plainLine)).toEqual([
    'waiting     search  request failed, retry in 3.0s (it did not answer)',
    'waiting     search  waiting for another stream to finish writing',
    'waiting     search  provider key paused, retry in 3.0s',
    're-asked    search  asking again: part of it cannot be used',
    're-asked    search  reading more files',
    'reverted    1 file',
  ]);
});

describe('the explanation of a failure', () => {
  it('names the stream, the command, the decisive lines, what was tried and what to do', () => {
    const script = healingRun();
    const output = [
      '\u001b[31mTAP version 13\u001b[0m',
      '# Subtest: finds authors',
      'not ok 1 - finds authors',
      "  error: 'Expected values to be strictly equal'",
      'AssertionError [ERR_ASSERTION]: 0 !== 1',
      '# pass 3',
    ].join('\n');
    script.at(4, commandFailed('search-fix-1', output), failed('search-fix-1', 1));
    script.at(4, {
      type: 'stream.status',
      stream: 'tests',
      from: 'pending',
      to: 'blocked',
      cause: 'search',
    });
    const explanation = explained(script.events, 'failed');
    expect(explanation).toMatchObject({
      stream: 'search',
      command: 'npm test',
      what: 'search failed after 2 attempts: npm test exited with 1',
      tried: 'Tried: search-fix-1 (failed). Blocked by it: tests.',
    });
    expect(explanation.output).toContain('AssertionError [ERR_ASSERTION]: 0 !== 1');
    expect(explanation.output.length).toBeLessThanOrEqual(2);
    expect(explanation.next).toContain(`millrace logs ${RUN_ID} search`);
    expect(explanation.next).toContain('fix its plan or its files');
  });

  it('says that it took too long, where the time of the stream ended its command', () => {
    const script = createScript();
    script.at(0, startOf([['search', 1]]), began('search', 1), answered('search'));
    const ended = commandFailed('search', '');
    if (ended.type === 'command.finished') ended.exitCode = null;
    const over = failed('search', 1);
    if (over.type === 'stream.failed') over.class = 'timeout';
    script.at(2, ended, over);
    const { what, next } = explained(script.events, 'failed');
    expect(what).toBe('search failed: npm test took too long');
    expect(next).toContain('raise its timeoutMs or split it');
  });

  it('takes the last lines where nothing looks like an error', () => {
    expect(decisiveLines('one\n\ntwo\nthree\n', 2)).toEqual(['two', 'three']);
    expect(decisiveLines('', 2)).toEqual([]);
    const tsc = 'compiling\nsrc/a.ts(3,5): error TS2322: Type string is not number\ndone\n';
    expect(decisiveLines(tsc, 2)[0]).toContain('TS2322');
  });

  it('says so when nothing failed', () => {
    const script = createScript();
    script.at(0, startOf([['a', 1]]), began('a', 1), completed('a', 1));
    expect(explained(script.events, 'complete').what).toContain('nothing failed');
    const { next } = explained(script.events, 'interrupted');
    expect(next).toMatch(/millrace run feature\.yaml$/);
  });
});
