// Runs inside of the sandbox: files of the copy. As in every file of this folder the function is sent there as text, so it
// must not use anything from outside of itself. What is refused here is refused for the model's sake; that nothing else
// can be reached is the sandbox's part.
import type { FileEntry, FileLines } from '../inside-api.ts';

export function filesOf(root: string) {
  const fs = process.getBuiltinModule('node:fs');
  const { join, dirname } = process.getBuiltinModule('node:path');
  const { isUtf8 } = process.getBuiltinModule('node:buffer');
  const skipped = new Set(['.git', 'node_modules', '.millrace']);

  const refuse = (why: string): never => {
    throw new Error(why);
  };
  const statOf = (path: string) => fs.lstatSync(path, { throwIfNoEntry: false });

  /** No part of the path may be a link: it could lead anywhere. */
  function locate(path: string): string {
    let at = root;
    for (const part of path === '' ? [] : path.split('/')) {
      at = join(at, part);
      if (statOf(at)?.isSymbolicLink()) refuse('it is a symbolic link, or below one');
    }
    return at;
  }

  function readBytes(path: string, maxBytes: number): Buffer {
    const file = locate(path);
    const stats = statOf(file) ?? refuse('there is no such file');
    if (stats.isDirectory()) refuse('it is a folder; use list');
    if (!stats.isFile()) refuse('it is no plain file');
    if (stats.size > maxBytes) refuse(`it is larger than ${maxBytes} bytes; use search`);
    const handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    try {
      return fs.readFileSync(handle);
    } finally {
      fs.closeSync(handle);
    }
  }

  function makeFolders(path: string): void {
    let at = '';
    for (const part of path === '.' ? [] : path.split('/')) {
      at = at === '' ? part : `${at}/${part}`;
      const folder = locate(at);
      if (statOf(folder) === undefined) fs.mkdirSync(folder);
    }
  }

  return {
    /** Fails where there is nothing, or a link. */
    check: ({ path }: { path: string }) => {
      if (statOf(locate(path)) === undefined) refuse('there is no such file or folder');
      return {};
    },

    bytes: ({ path, maxBytes }: { path: string; maxBytes: number }) => {
      if (statOf(locate(path)) === undefined) return { base64: null };
      return { base64: readBytes(path, maxBytes).toString('base64') };
    },

    lines: (asked: {
      path: string;
      from: number;
      count: number;
      maxBytes: number;
      maxChars: number;
    }): FileLines => {
      const bytes = readBytes(asked.path, asked.maxBytes);
      if (bytes.includes(0) || !isUtf8(bytes)) refuse('it is a binary file');
      const all = bytes.toString('utf8').split('\n');
      if (all.at(-1) === '') all.pop();
      const lines: string[] = [];
      let chars = 0;
      for (const line of all.slice(asked.from - 1, asked.from - 1 + asked.count)) {
        const shown = line.replace(/\r$/, '').slice(0, 2000);
        if (lines.length > 0 && chars + shown.length > asked.maxChars) break;
        chars += shown.length + 8;
        lines.push(shown.length < line.length - 1 ? `${shown} [the line is longer]` : shown);
      }
      return { lines, total: all.length };
    },

    write: ({ path, base64 }: { path: string; base64: string }) => {
      const file = locate(path);
      const stats = statOf(file);
      if (stats !== undefined && !stats.isFile()) refuse('it is no plain file');
      makeFolders(dirname(path));
      const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = fs.constants;
      const handle = fs.openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o644);
      try {
        fs.writeFileSync(handle, Buffer.from(base64, 'base64'));
      } finally {
        fs.closeSync(handle);
      }
      return { isNew: stats === undefined };
    },

    remove: ({ path }: { path: string }) => {
      const file = locate(path);
      const stats = statOf(file) ?? refuse('there is no such file');
      if (!stats.isFile()) refuse('it is no plain file; only files can be deleted');
      fs.unlinkSync(file);
      return {};
    },

    list: ({ path, max, isDeep }: { path: string; max: number; isDeep: boolean }) => {
      const start = locate(path);
      const stats = statOf(start) ?? refuse('there is no such folder');
      if (!stats.isDirectory()) refuse('it is no folder; use read');
      const entries: FileEntry[] = [];
      const queue = [path];
      for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
        const found = fs.readdirSync(join(root, folder), { withFileTypes: true });
        found.sort((a, b) => (a.name < b.name ? -1 : 1));
        for (const entry of found) {
          if (skipped.has(entry.name)) continue;
          const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
          if (entries.length >= max) return { entries, isCut: true };
          const kind = entry.isDirectory()
            ? 'folder'
            : entry.isSymbolicLink()
              ? 'link'
              : entry.isFile()
                ? 'file'
                : 'other';
          entries.push({ path: name, kind });
          if (isDeep && kind === 'folder') queue.push(name);
        }
      }
      return { entries, isCut: false };
    },
  };
}
