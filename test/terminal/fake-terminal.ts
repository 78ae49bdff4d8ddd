// A terminal without a window: what was written, as it would be seen.
import { EventEmitter } from 'node:events';
import xterm from '@xterm/headless';

export interface FakeTerminal {
  columns: number;
  rows: number;
  write(text: string): void;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
  /** Everything written so far, escape sequences included. */
  raw(): string;
  resize(columns: number, rows: number): Promise<void>;
  /** Lines from the top of the scrollback to the bottom, without spaces at their ends. */
  lines(): Promise<string[]>;
  /** Only those on the screen. */
  visible(): Promise<string[]>;
}

export function createFakeTerminal(columns: number, rows: number): FakeTerminal {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    convertEol: true,
    scrollback: 5000,
  });
  const events = new EventEmitter();
  let raw = '';
  const settled = () => new Promise<void>((resolve) => terminal.write('', resolve));
  const read = (from: number) => {
    const buffer = terminal.buffer.active;
    const lines: string[] = [];
    for (let at = from; at < buffer.length; at++) {
      lines.push(buffer.getLine(at)?.translateToString(true) ?? '');
    }
    while (lines.at(-1) === '') lines.pop();
    return lines;
  };
  const fake: FakeTerminal = {
    columns,
    rows,
    write(text) {
      raw += text;
      terminal.write(text);
    },
    on: (event, listener) => events.on(event, listener),
    off: (event, listener) => events.off(event, listener),
    raw: () => raw,
    async resize(nextColumns, nextRows) {
      await settled();
      terminal.resize(nextColumns, nextRows);
      fake.columns = nextColumns;
      fake.rows = nextRows;
      events.emit('resize');
      await settled();
    },
    async lines() {
      await settled();
      return read(0);
    },
    async visible() {
      await settled();
      return read(terminal.buffer.active.baseY);
    },
  };
  return fake;
}
