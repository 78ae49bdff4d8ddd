// Exports, as a person downloads and opens them.
import { fromBufferPromise } from 'yauzl';

/** The files of an archive, as text. */
export async function downloadArchive(url: string, headers: Record<string, string>) {
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(await answer.text());
  const zip = await fromBufferPromise(Buffer.from(await answer.arrayBuffer()));
  const files: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    files[entry.fileName] = Buffer.concat(chunks).toString('utf8');
  }
  return { headers: answer.headers, files };
}

/** Of a file that has a JSON value a line. */
export const linesOf = (text = '') =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]));
