// Colours of the lines that are drawn, as they come from the worker; the files that were drawn last are read first.
import type { Token } from './line-segments.ts';
import { LOOKS } from './looks.ts';
import type { FromWorker, ToWorker } from './highlight-worker.ts';
import { languageOf } from '../../../src/domain/highlight/endings.ts';

type Side = 'before' | 'after';
export type Sides = Readonly<Record<Side, string | null>>;
type Lines = ReadonlyMap<number, readonly Token[]>;

const MOST_AT_ONCE = 2;
/** Of what waits: what has been scrolled past long ago is asked for again when it comes back. */
const MOST_WAITING = 24;

function linesOf(colours: Uint32Array): Lines {
  const lines = new Map<number, Token[]>();
  for (let at = 0; at < colours.length; at += 4) {
    const [line, from, to, look] = colours.subarray(at, at + 4);
    const token = { from: from!, to: to!, look: LOOKS[look!] ?? '' };
    const own = lines.get(line!);
    if (own === undefined) lines.set(line!, [token]);
    else own.push(token);
  }
  return lines;
}

interface Request {
  text: Sides;
  side: Side;
  path: string;
}

export interface Highlighter {
  tokensOf(path: string, text: Sides, side: Side, line: number): readonly Token[] | undefined;
  subscribe(listener: () => void): () => void;
  version(): number;
  /** Counts what has come for one text. */
  versionOf(text: Sides): number;
  close(): void;
}

/** `mostWaiting`: no bound where everything is drawn once, and nothing asks again. */
export function createHighlighter(open: () => Worker, mostWaiting = MOST_WAITING): Highlighter {
  const known = new WeakMap<Sides, Partial<Record<Side, Lines | 'asked'>>>();
  const received = new WeakMap<Sides, number>();
  const listeners = new Set<() => void>();
  const underWay = new Map<number, Request>();
  let waiting: Request[] = [];
  let worker: Worker | undefined;
  let hasFailed = false;
  let lastId = 0;
  let version = 0;

  const remember = ({ text, side }: Request, lines: Lines | 'asked' | undefined) =>
    known.set(text, { ...known.get(text), [side]: lines });

  function receive({ data: { id, colours } }: MessageEvent<FromWorker>): void {
    const request = underWay.get(id);
    underWay.delete(id);
    if (request !== undefined) {
      remember(request, linesOf(colours));
      received.set(request.text, (received.get(request.text) ?? 0) + 1);
    }
    version += 1;
    listeners.forEach((each) => each());
    send();
  }

  function close(): void {
    // They are asked for again where they are shown again.
    for (const request of [...waiting, ...underWay.values()]) remember(request, undefined);
    waiting = [];
    underWay.clear();
    worker?.terminate();
    worker = undefined;
  }

  /** Everything stays as it is, in one colour. */
  function fail(): void {
    hasFailed = true;
    close();
  }

  function opened(): Worker {
    if (worker === undefined) {
      worker = open();
      worker.addEventListener('message', receive);
      worker.addEventListener('error', fail);
    }
    return worker;
  }

  function send(): void {
    while (underWay.size < MOST_AT_ONCE) {
      const request = waiting.pop();
      if (request === undefined) return;
      const { text, side, path } = request;
      underWay.set(++lastId, request);
      opened().postMessage({ id: lastId, path, text: text[side] ?? '' } satisfies ToWorker);
    }
  }

  function ask(request: Request): void {
    remember(request, 'asked');
    waiting.push(request);
    for (const old of waiting.splice(0, waiting.length - mostWaiting)) remember(old, undefined);
    // Not while the rows are being drawn.
    queueMicrotask(send);
  }

  return {
    tokensOf(path, text, side, line) {
      const lines = known.get(text)?.[side];
      if (lines === 'asked') return undefined;
      if (lines !== undefined) return lines.get(line);
      if (!hasFailed && languageOf(path) !== undefined) ask({ text, side, path });
      return undefined;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
    versionOf: (text) => received.get(text) ?? 0,
    close,
  };
}
