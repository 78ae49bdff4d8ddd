// What the web build made, read into memory once. Names of its assets carry a hash of what is in them, so browsers keep
// them for good; the page itself is asked for each time and answered with "not modified" where it is the same.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

type Encoding = 'br' | 'gzip' | 'identity';

const compressors = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: promisify(gzip),
  identity: (body: Buffer) => Promise.resolve(body),
} as const;

export interface WebFile {
  type: string;
  etag: string;
  text(): string;
  /** Compressed when it is first asked for, and kept. */
  body(encoding: Encoding): Promise<Buffer>;
}

/** `name`: what follows its last dot is the kind of file. */
function toFile(name: string, body: Buffer): WebFile {
  const kept = new Map<Encoding, Promise<Buffer>>();
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    text: () => body.toString('utf8'),
    body(encoding) {
      const known = kept.get(encoding);
      if (known) return known;
      const made = compressors[encoding](body);
      kept.set(encoding, made);
      return made;
    },
  };
}

export type WebFiles = ReadonlyMap<string, WebFile>;

function readWebFiles(folder: string): WebFiles {
  if (!existsSync(join(folder, 'index.html'))) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = join(entry.parentPath, entry.name);
        const path = file.slice(folder.length + 1);
        return [path, toFile(entry.name, readFileSync(file))];
      }),
  );
}

/**
 * The files of a folder by path, as in "assets/index-3f2a.js"; none when it was not built. Read when they are first
 * asked for: most starts of a server are not for its pages.
 */
export function createWebFiles(folder: string): () => WebFiles {
  let files: WebFiles | undefined;
  return () => (files ??= readWebFiles(folder));
}

/** What is worth compressing, and what the browser takes. */
export function encodingFor(type: string, accepted: string | undefined): Encoding {
  if (/^(?:font|image)\/(?!svg)/.test(type)) return 'identity';
  const names = (accepted ?? '').split(',').map((part) => part.trim().split(';')[0]);
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : 'identity';
}
