import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { syncFolder } from '../../platform/synced-file.ts';
import { MAGIC } from './format.ts';

async function* framed(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256').update(MAGIC);
  yield MAGIC;
  for await (const chunk of compressed) {
    hash.update(chunk);
    yield chunk;
  }
  yield hash.digest();
}

/** Under another name until it is whole and on disk: what has the name of a backup is one. Returns its size. */
export async function writeBackupFile(
  path: string,
  records: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<number> {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.unfinished`);
  const file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } });
  try {
    await pipeline(Readable.from(records), compress, framed, file, { signal });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path)).catch(() => {});
  return (await stat(path)).size;
}
