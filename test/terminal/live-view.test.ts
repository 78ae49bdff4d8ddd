import { describe, expect, it } from 'vitest';
import { createLiveView } from '../../src/cli/commands/runs/view/live-view.ts';
import { ASCII_GLYPHS, UNICODE_GLYPHS, glyphsFor } from '../../src/cli/terminal/glyphs.ts';
import { createProjector } from '../../src/domain/run/projection.ts';
import { textWidth } from '../../src/cli/terminal/text-width.ts';
import type { RunEvent, RunEventBody } from '../../src/contract/run-events.ts';
import { createFakeTerminal } from './fake-terminal.ts';
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

const TOTALS = {
  streams: { pending: 0, in_progress: 0, complete: 6, failed: 0, skipped: 0, blocked: 0 },
  fixes: 0,
  tokens: { input: 1, output: 1, cachedInput: 0 },
  costUsd: 0,
  durationMs: 1,
  knownCostUsd: 0,
  unpricedCalls: 0,
  cachedCalls: 0,
  savedUsd: 0,
  filesChanged: [],
};

/** A view on a fake terminal; `play` shows everything up to a moment. */
function open(columns: number, rows: number, glyphs = UNICODE_GLYPHS) {
  const terminal = createFakeTerminal(columns, rows);
  let now = START;
  const projector = createProjector();
  const view = createLiveView({
    projector,
    terminal,
    glyphs,
    paint: (_style, text) => text,
    now: () => now,
    keys: 'ctrl-c stops',
  });
  return {
    terminal,
    view,
    projector,
    play(events: readonly RunEvent[], atSeconds: number) {
      now = START + atSeconds * 1000;
      for (const event of events) view.follow(event);
      // A frame without waiting for the clock.
      view.resume();
    },
  };
}

const BOOKSHELF = startOf([
  ['schema', 1],
  ['config', 1],
  ['search', 2, ['schema']],
  ['store', 2, ['schema', 'config']],
  ['tests', 3, ['store', 'search']],
]);

/** The same run in a later process, with this stream complete. */
function resumedAfter(id: string): RunEventBody {
  if (BOOKSHELF.type !== 'run.started') throw new Error('not a start');
  const streams = BOOKSHELF.streams.map((stream) =>
    stream.id === id ? { ...stream, status: 'complete' as const } : stream,
  );
  return { ...BOOKSHELF, resumed: true, streams };
}

function tall(): RunEventBody {
  return startOf(
    Array.from({ length: 40 }, (_, i) => [
      `stream-${i + 1}`,
      Math.floor(i / 8) + 1,
      i < 8 ? [] : [`stream-${i - 7}`],
    ]),
  );
}

describe('a stream that waits', () => {
  it('is shown with the reason and the time that is left, until it goes on', async () => {
    const { terminal, play, view } = open(100, 20);
    const script = createScript();
    script.at(0, BOOKSHELF, began('schema', 1), began('config', 1));
    const until = new Date(START + 12_000).toISOString();
    const of = (stream: string) => ({ type: 'stream.waiting' as const, stream, attempt: 1 });
    script.at(2, { ...of('schema'), reason: 'rate_limited', until });
    script.at(2, { ...of('config'), reason: 'review' });
    play(script.events, 2);
    expect((await terminal.visible()).join('\n')).toMatch(/schema .*rate limited, retry in 10\.0s/);
    expect((await terminal.visible()).join('\n')).toMatch(/config .*waiting for your review/);
    script.events.length = 0;
    script.at(13, answered('config'));
    play(script.events, 13);
    expect((await terminal.visible()).join('\n')).not.toMatch(/retry in|review/);
    script.events.length = 0;
    const place = { stream: 'config', attempt: 1, call: 2, key: 'k', reservedUsd: 0 };
    script.at(14, { type: 'stream.call', ...place });
    play(script.events, 14);
    expect((await terminal.visible()).join('\n')).toMatch(/config .*asking again/);
    view.close();
  });
});

describe('the live view', () => {
  it('shows waves with what runs, waits, failed and is being mended', async () => {
    const script = createScript();
    script.at(0, BOOKSHELF, began('schema', 1), began('config', 1));
    script.at(1, answered('schema'), completed('schema', 1), began('search', 2));
    script.at(2, commandFailed('search', 'nope'), failed('search', 2));
    script.at(2, { type: 'stream.fix', stream: 'search', fix: 'search-fix-1', attempt: 2, of: 3 });
    script.at(2, began('search-fix-1', 2));
    const { terminal, view, play } = open(80, 24);
    play(script.events, 3.5);
    expect(await terminal.lines()).toEqual([
      ` Shelves  ${RUN_ID}  sim-fast`,
      ' Wave 1  1/2',
      expect.stringMatching(/^ {3}✓ schema +950 tok {2}\$0\.0123 {3}1\.0s$/),
      expect.stringMatching(/^ {3}[⠋-⠿] config +0 tok {2}\$0\.0000 {3}3\.5s$/),
      ' Wave 2  0/2',
      expect.stringMatching(/^ {3}✗ search .*1\.2s {2}npm test exited with 1$/),
      expect.stringMatching(/^ {5}└ [⠋-⠿] search-fix-1 .*1\.5s {2}attempt 2 of 3$/),
      expect.stringMatching(/^ {3}· store +waits for config$/),
      ' Wave 3  0/1',
      expect.stringMatching(/^ {3}· tests +waits for store, search$/),
      '',
      ' 1/5 streams   3.5s   $0.0123 simulated   ctrl-c stops',
    ]);
    view.close();
  });

  it('has one head for a run that was gone on with, and nothing running when it is cut off', async () => {
    const script = createScript();
    script.at(0, BOOKSHELF, began('schema', 1), completed('schema', 1));
    script.at(1, began('config', 1));
    script.at(60, resumedAfter('schema'));
    const { terminal, view, projector, play } = open(80, 24);
    play(script.events, 3600);
    expect(await terminal.lines()).toContainEqual(expect.stringMatching(/[⠋-⠿] config /));
    projector.cutOff();
    view.close();
    const lines = await terminal.lines();
    expect(lines).toEqual([
      ` Shelves  ${RUN_ID}  sim-fast`,
      ' Wave 1  1/2',
      expect.stringMatching(/^ {3}✓ schema /),
      expect.stringMatching(/^ {3}‖ config +was running when the run stopped$/),
      ' Wave 2  0/2',
      expect.stringMatching(/^ {3}· search +not started$/),
      expect.stringMatching(/^ {3}· store +not started$/),
      ' Wave 3  0/1',
      expect.stringMatching(/^ {3}· tests +not started$/),
    ]);
  });

  it('prints finished waves once and for good, and everything that is left at the end', async () => {
    const script = createScript();
    script.at(0, tall());
    const { terminal, view, play } = open(80, 24);
    play(script.events, 0);
    for (let wave = 1; wave <= 5; wave++) {
      const from = script.events.length;
      for (let i = 1; i <= 8; i++) {
        const id = `stream-${(wave - 1) * 8 + i}`;
        script.at(wave, began(id, wave), answered(id), completed(id, wave));
        play(script.events.slice(from + (i - 1) * 3), wave);
      }
      expect((await terminal.visible()).length).toBeLessThanOrEqual(24);
    }
    script.at(6, { type: 'run.completed', totals: TOTALS });
    play(script.events.slice(-1), 6);
    view.close();
    const lines = await terminal.lines();
    for (let i = 1; i <= 40; i++) {
      const shown = lines.filter((line) => line.includes(`stream-${i} `));
      expect(shown, `stream-${i}`).toHaveLength(1);
    }
    expect(lines.filter((line) => /Wave \d/.test(line))).toHaveLength(5);
    expect(lines.at(-1)).toContain('stream-40');
  });

  it('folds what is finished or waits when the terminal is low; failures stay open', async () => {
    const script = createScript();
    script.at(0, tall());
    for (let i = 1; i <= 7; i++) script.at(1, began(`stream-${i}`, 1), completed(`stream-${i}`, 1));
    script.at(1, began('stream-8', 1));
    for (let i = 9; i <= 15; i++) script.at(2, began(`stream-${i}`, 2));
    script.at(3, commandFailed('stream-11', 'x'), failed('stream-11', 2));
    script.at(3, completed('stream-9', 2), completed('stream-10', 2));
    const { terminal, view, play } = open(80, 18);
    play(script.events, 4);
    const lines = await terminal.visible();
    expect(lines.length).toBeLessThanOrEqual(18);
    const text = lines.join('\n');
    expect(text).toMatch(/✓ 7 done/);
    expect(text).toMatch(/stream-8 .*3\.0s/);
    expect(text).toMatch(/✗ stream-11 .*npm test exited with 1/);
    expect(text).toMatch(/Wave 5 {2}0\/8 {2}· waiting/);
    expect(lines.at(-1)).toContain('9/40 streams');
    view.close();
  });

  it.each([
    [200, 50, 80, 24],
    [80, 24, 200, 50],
    [80, 24, 50, 24],
    [80, 24, 80, 12],
  ])('leaves no trace of old frames when %ix%i becomes %ix%i', async (c1, r1, c2, r2) => {
    const script = createScript();
    script.at(0, tall(), began('stream-1', 1), began('stream-2', 1));
    const { terminal, view, play } = open(c1, r1);
    play(script.events, 1);
    await terminal.resize(c2, r2);
    play([], 2);
    play([], 3);
    const lines = await terminal.visible();
    expect(lines.filter((line) => line.includes('Wave 1'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('/40 streams'))).toHaveLength(1);
    for (const line of lines) expect(textWidth(line)).toBeLessThan(c2);
    view.close();
  });

  it('never writes a line that is wider than the terminal, whatever the names', async () => {
    const script = createScript();
    const names = [
      '検索検索検索検索検索検索検索検索検索検索',
      '🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀',
      'e\u0301'.repeat(60),
    ];
    script.at(
      0,
      startOf(names.map((name) => [name, 1])),
      ...names.flatMap((name) => [
        began(name, 1),
        commandFailed(name, 'x'),
        {
          ...failed(name, 1),
          error: '\u001b[31mred\u001b[0m \u0007 検索'.repeat(30),
        } as RunEventBody,
      ]),
      { type: 'run.note', level: 'warning', code: 'X', message: '長い'.repeat(100) },
    );
    const { terminal, view, play } = open(40, 24);
    play(script.events, 1);
    const lines = await terminal.lines();
    // A line that was broken would stand on two.
    expect(lines.filter((line) => line.includes('✗'))).toHaveLength(3);
    expect(lines).toHaveLength(8);
    for (const line of lines) expect(textWidth(line)).toBeLessThan(40);
    view.close();
  });

  it('hides the cursor while it draws and brings it back', () => {
    const script = createScript();
    script.at(0, BOOKSHELF);
    const { terminal, view, play } = open(80, 24);
    play(script.events, 0);
    expect(terminal.raw()).toContain('\u001b[?25l');
    expect(terminal.raw()).not.toContain('\u001b[?25h');
    view.hold();
    expect(terminal.raw().endsWith('\u001b[?25h')).toBe(true);
    view.resume();
    view.close();
    const raw = terminal.raw();
    expect(raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(raw.lastIndexOf('\u001b[?25l'));
    expect(raw.split('\u001b[?2026h')).toHaveLength(raw.split('\u001b[?2026l').length);
  });

  it('goes out of the way for a question and comes back below it', async () => {
    const script = createScript();
    script.at(0, BOOKSHELF);
    const { terminal, view, play } = open(80, 24);
    play(script.events, 0);
    view.hold();
    terminal.write('Write this file? y\n');
    view.resume();
    const lines = await terminal.lines();
    expect(lines[1]).toBe('Write this file? y');
    expect(lines.filter((line) => line.includes('Wave 1'))).toHaveLength(1);
    view.close();
  });

  it('uses letters where the terminal cannot show signs', async () => {
    expect(glyphsFor({ LANG: 'C' })).toBe(ASCII_GLYPHS);
    expect(glyphsFor({ TERM: 'dumb', LANG: 'en_US.UTF-8' })).toBe(ASCII_GLYPHS);
    expect(glyphsFor({ LC_ALL: 'C', LANG: 'en_US.UTF-8' })).toBe(ASCII_GLYPHS);
    expect(glyphsFor({ LANG: 'en_US.utf8' })).toBe(UNICODE_GLYPHS);
    const script = createScript();
    script.at(0, BOOKSHELF, began('schema', 1), failed('schema', 1));
    const { terminal, view, play } = open(80, 24, ASCII_GLYPHS);
    play(script.events, 1);
    // oxlint-disable-next-line no-control-regex -- anything that is not ASCII
    expect((await terminal.lines()).join('')).not.toMatch(/[^\u0000-\u007f]/);
    view.close();
  });
});
