// Parses texts beside the page, which stays quick meanwhile.
import { coloursOf } from './colours.ts';
import { languageOf } from './endings.ts';
import { loadParser } from './parsers.ts';

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
