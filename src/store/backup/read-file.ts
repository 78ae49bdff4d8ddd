import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createZstdDecompress } from 'node:zlib';
import { BackupError } from './backup-error.ts';
import { DIGEST_BYTES, LETTERS, MAGIC, MAX_RECORD_BYTES, RECORD_HEAD_BYTES } from './format.ts';
import type { BackupHeader, BackupRecord, TableSum } from './format.ts';

function damaged(path: string, cause?: unknown): BackupError {
  return new BackupError(
    'BACKUP_DAMAGED',
    `${path} is damaged or incomplete. Copy it again from where it was made, or use another backup.`,
    cause,
  );
}

/** Where its compressed part ends. Throws unless every byte is as it was written. */
async function checkDigest(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Buffer.alloc(MAGIC.length);
    await file.read(start, 0, start.length, 0);
    if (!start.equals(MAGIC)) {
      const known = start.toString('latin1').startsWith('millrace-backup ');
      if (known) {
        throw new BackupError(
          'BACKUP_TOO_NEW',
          `${path} was made by a newer release. Restore it with that release or a later one.`,
        );
      }
      throw new BackupError('BACKUP_DAMAGED', `${path} is not a backup made by Millrace.`);
    }
    const end = size - DIGEST_BYTES;
    if (end <= MAGIC.length) throw damaged(path);
    const hash = createHash('sha256');
    for await (const chunk of file.createReadStream({ start: 0, end: end - 1, autoClose: false })) {
      hash.update(chunk as Buffer);
    }
    const digest = Buffer.alloc(DIGEST_BYTES);
    await file.read(digest, 0, DIGEST_BYTES, end);
    if (!hash.digest().equals(digest)) throw damaged(path);
    return end;
  } finally {
    await file.close();
  }
}

function parse(letter: string, content: Buffer): BackupRecord | undefined {
  const json = () => JSON.parse(content.toString('utf8')) as unknown;
  switch (letter) {
    case LETTERS.data:
      return { kind: 'data', bytes: content };
    case LETTERS.header:
      return { kind: 'header', header: json() as BackupHeader };
    case LETTERS.table:
      return { kind: 'table', sum: json() as TableSum };
    case LETTERS.end:
      return { kind: 'end', sums: json() as TableSum[] };
    default:
      return undefined;
  }
}

async function* readRecords(path: string, end: number): AsyncGenerator<BackupRecord> {
  const source = createReadStream(path, { start: MAGIC.length, end: end - 1 });
  const plain = createZstdDecompress();
  source.on('error', (error) => plain.destroy(error));
  source.pipe(plain);
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of plain) {
      let at = 0;
      rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
      while (rest.length - at >= RECORD_HEAD_BYTES) {
        const length = rest.readUInt32BE(at + 1);
        if (length > MAX_RECORD_BYTES) throw damaged(path);
        const from = at + RECORD_HEAD_BYTES;
        if (rest.length < from + length) break;
        const record = parse(
          rest.toString('latin1', at, at + 1),
          rest.subarray(from, from + length),
        );
        if (record === undefined) throw damaged(path);
        at = from + length;
        yield record;
      }
      rest = rest.subarray(at);
    }
  } catch (error) {
    throw error instanceof BackupError ? error : damaged(path, error);
  } finally {
    source.destroy();
    plain.destroy();
  }
  if (rest.length > 0) throw damaged(path);
}

export interface BackupReader {
  path: string;
  header: BackupHeader;
  /** What follows the header; to be read once. */
  records: AsyncGenerator<BackupRecord>;
}

/** Throws a BackupError unless the file is whole. */
export async function openBackupFile(path: string): Promise<BackupReader> {
  const end = await checkDigest(path);
  const records = readRecords(path, end);
  const first = await records.next();
  if (first.done === true || first.value.kind !== 'header') throw damaged(path);
  return { path, header: first.value.header, records };
}

/** The data of one table, up to its sum, which `onSum` gets. */
export async function* tableData(
  { records, path }: BackupReader,
  onSum: (sum: TableSum) => void,
): AsyncGenerator<Buffer> {
  for (;;) {
    const next = await records.next();
    if (next.done === true) throw damaged(path);
    if (next.value.kind === 'table') {
      onSum(next.value.sum);
      return;
    }
    if (next.value.kind !== 'data') throw damaged(path);
    yield next.value.bytes;
  }
}

/** The sums of all tables, which end the file. */
export async function readEnd({ records, path }: BackupReader): Promise<TableSum[]> {
  const last = await records.next();
  if (last.done === true || last.value.kind !== 'end') throw damaged(path);
  if ((await records.next()).done !== true) throw damaged(path);
  return last.value.sums;
}
