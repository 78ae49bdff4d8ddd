// A backup file: a line that says what it is, the records below compressed with zstd, and the SHA-256 of
// everything before it. A record is a letter, the length of its content in four bytes, and the content.
import { createHash } from 'node:crypto';

export const MAGIC = Buffer.from('millrace-backup 1\n');
export const DIGEST_BYTES = 32;

export interface TableShape {
  name: string;
  columns: string[];
}

export interface BackupHeader {
  /** The release that made it. */
  release: string;
  takenAt: string;
  postgres: string;
  schemaVersion: number;
  migrations: { version: number; name: string; checksum: string }[];
  tables: TableShape[];
}

export interface TableSum {
  name: string;
  rows: number;
  bytes: number;
  sha256: string;
}

/** In this order: the header, for each table its data and its sum, the sums of all. */
export type BackupRecord =
  | { kind: 'header'; header: BackupHeader }
  | { kind: 'data'; bytes: Buffer }
  | { kind: 'table'; sum: TableSum }
  | { kind: 'end'; sums: TableSum[] };

export const LETTERS = { header: 'H', data: 'D', table: 'T', end: 'E' } as const;
export const RECORD_HEAD_BYTES = 5;
/** Data comes in smaller pieces; a header names every column. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

export function encodeRecord(kind: keyof typeof LETTERS, content: Buffer): Buffer {
  const head = Buffer.alloc(RECORD_HEAD_BYTES);
  head.write(LETTERS[kind], 0, 'latin1');
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

/** Adds up what passes. */
export function createSum() {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    add(block: Buffer): void {
      hash.update(block);
      bytes += block.length;
    },
    end: (name: string, rows: number): TableSum => ({
      name,
      rows,
      bytes,
      sha256: hash.digest('hex'),
    }),
  };
}
