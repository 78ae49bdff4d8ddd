// The command in a real pseudo-terminal, read through a terminal emulator.
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import type { RunProject } from './run-project.ts';

export interface PtyRun {
  /** Every line from the top of the scrollback. */
  lines(): Promise<string[]>;
  /** The same as it was written: what the edge of the terminal broke is whole again. */
  unbroken(): Promise<string[]>;
  visible(): Promise<string[]>;
  raw(): string;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  waitFor(pattern: RegExp): Promise<void>;
  ended: Promise<number>;
  kill(): void;
}

export function startInPty(
  project: Pick<RunProject, 'folder' | 'settings'>,
  args: readonly string[],
  size: { columns: number; rows: number },
  /** `through`: a line of programs that starts the command. */
  how: { isInside?: boolean; isPlain?: boolean; through?: readonly string[] } = {},
): PtyRun {
  const terminal = new xterm.Terminal({
    cols: size.columns,
    rows: size.rows,
    allowProposedApi: true,
    scrollback: 5000,
  });
  const env = {
    ...cleanEnv(project.settings),
    TERM: 'xterm-256color',
    NO_COLOR: how.isPlain ? '1' : '',
  };
  const place = how.isInside ? [] : ['-C', project.folder];
  const [program, ...line] = [...(how.through ?? []), process.execPath, MAIN];
  const child = spawn(program, [...line, ...place, ...args], {
    ...(how.isInside ? { cwd: project.folder } : {}),
    cols: size.columns,
    rows: size.rows,
    env,
  });
  let raw = '';
  let over = false;
  child.onData((data) => {
    raw += data;
    terminal.write(data);
  });
  const ended = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      over = true;
      resolve(exitCode);
    });
  });
  const settled = () => new Promise<void>((resolve) => terminal.write('', resolve));
  async function read(fromTop: boolean): Promise<string[]> {
    await settled();
    const buffer = terminal.buffer.active;
    const lines: string[] = [];
    for (let at = fromTop ? 0 : buffer.baseY; at < buffer.length; at++) {
      lines.push(buffer.getLine(at)?.translateToString(true) ?? '');
    }
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }
  async function unbroken(): Promise<string[]> {
    await settled();
    const buffer = terminal.buffer.active;
    const lines: string[] = [];
    for (let at = 0; at < buffer.length; at++) {
      const line = buffer.getLine(at);
      // A line that goes on has no end of its own: the spaces there belong to the text.
      const goesOn = buffer.getLine(at + 1)?.isWrapped === true;
      const text = line?.translateToString(!goesOn) ?? '';
      if (line?.isWrapped) lines.push((lines.pop() ?? '') + text);
      else lines.push(text);
    }
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }
  return {
    lines: () => read(true),
    unbroken,
    visible: () => read(false),
    raw: () => raw,
    type: (keys) => child.write(keys),
    resize(columns, rows) {
      terminal.resize(columns, rows);
      child.resize(columns, rows);
    },
    async waitFor(pattern) {
      await waitUntil(async () => {
        const text = (await read(true)).join('\n');
        if (pattern.test(text)) return true;
        if (over) throw new Error(`Ended without ${String(pattern)}:\n${text}`);
        return false;
      }, String(pattern));
    },
    ended,
    kill: () => {
      if (!over) child.kill('SIGKILL');
    },
  };
}

/** Hidden and shown again, in this order. */
export function isCursorBack(raw: string): boolean {
  return raw.lastIndexOf('\u001b[?25h') > raw.lastIndexOf('\u001b[?25l');
}
