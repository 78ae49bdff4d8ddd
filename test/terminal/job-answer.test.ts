import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnswerText } from '../../src/cli/terminal/answer-text.ts';
import { useServer } from '../support/use-server.ts';
import { startInPty } from './pty.ts';
import { createRunProject } from './run-project.ts';
import type { RunProject } from './run-project.ts';

const ESCAPE = '\u001b';
const TITLE = `${ESCAPE}]0;owned\u0007`;
const CLIPBOARD = `${ESCAPE}]52;c;b3duZWQ=${ESCAPE}\\`;
const CLEAR = `${ESCAPE}[2J${ESCAPE}[H`;
const ANSWER = `first ${TITLE}line${CLIPBOARD}\n${CLEAR}second${ESCAPE}[31m line\r\nthird\u0008 line\n`;

const server = useServer();
let project: RunProject;
beforeAll(async () => {
  project = await createRunProject(server());
});
afterAll(() => project.remove());

const prompt = `[[sim:reply]]${ANSWER}[[/sim:reply]]`;
const RUN = ['job', 'run', '--model', 'sim-instant', '--prompt', prompt];

describe('an answer with sequences for the terminal', () => {
  it('is shown on a terminal without them, by job run and by job get', async () => {
    const ran = startInPty(project, RUN, { columns: 80, rows: 24 });
    expect(await ran.ended).toBe(0);
    const started = await project.millrace([...RUN, '--detach']);
    const got = startInPty(project, ['job', 'get', started.stdout.trim(), '--wait', '30'], {
      columns: 80,
      rows: 24,
    });
    expect(await got.ended).toBe(0);
    for (const shown of [ran, got]) {
      const raw = shown.raw();
      for (const sequence of [TITLE, CLIPBOARD, `${ESCAPE}[2J`, `${ESCAPE}[31m`, '\u0008', 'owned'])
        expect(raw).not.toContain(sequence);
      expect((await shown.lines()).slice(0, 2)).toEqual(['first line', 'second line']);
    }
  });

  it('stays as it is in a pipe', async () => {
    expect((await project.millrace(RUN)).stdout).toBe(`${ANSWER}\n`);
  });

  it('loses them however it is cut into pieces', () => {
    for (let size = 1; size <= ANSWER.length; size++) {
      let shown = '';
      const out = { isTTY: true, write: (text: string) => Boolean((shown += text)) };
      const answer = createAnswerText(out);
      for (let at = 0; at < ANSWER.length; at += size) answer.write(ANSWER.slice(at, at + size));
      answer.end();
      expect(shown, `in pieces of ${size}`).toMatch(/^first line\nsecond line\nthird.? line\n$/);
    }
  });
});
