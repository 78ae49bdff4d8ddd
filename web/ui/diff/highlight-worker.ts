// Parses texts beside the page, which stays quick meanwhile.
import { coloursOf } from '../../../src/domain/highlight/colours.ts';
import { languageOf } from '../../../src/domain/highlight/endings.ts';
import { loadParser } from '../../../src/domain/highlight/parsers.ts';

export interface ToWorker {
  id: number;
  path: string;
  text: string;
}

export interface FromWorker {
  id: number;
  colours: Uint32Array<ArrayBuffer>;
}

const worker = globalThis as unknown as {
  addEventListener(type: 'message', listener: (event: MessageEvent<ToWorker>) => void): void;
  postMessage(message: FromWorker, transfer: Transferable[]): void;
};

async function read({ path, text }: ToWorker): Promise<Uint32Array<ArrayBuffer>> {
  try {
    const language = languageOf(path);
    if (language === undefined) return new Uint32Array();
    return coloursOf(await loadParser(language), text);
  } catch {
    // One colour is enough to read it.
    return new Uint32Array();
  }
}

worker.addEventListener('message', ({ data }) => {
  void read(data).then((colours) => worker.postMessage({ id: data.id, colours }, [colours.buffer]));
});
