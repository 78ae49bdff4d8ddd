// Languages that are read by the shape of their lines. A name that is missed costs a file of context;
// one too many costs some tokens: neither is worth a parser for each of them.
import { blocksAfter, matchesOf } from './language.ts';
import type { Language } from './language.ts';
import { firstOf, folderOf, joined } from './project-index.ts';

function ancestorsOf(path: string): string[] {
  const folders: string[] = [];
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.push(folder);
  return [...folders, ''];
}

export const PYTHON: Language = {
  endings: ['py', 'pyi'],
  scan(text) {
    const plain = matchesOf(text, /^[ \t]*import[ \t]+([\w., \t]+)/gm).flatMap((list) =>
      list.split(',').map((one) => one.trim().split(/\s/)[0] ?? ''),
    );
    const from = [...text.matchAll(/^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*\(?([^)\n#]*)/gm)];
    const members = from.flatMap(([, base = '', list = '']) => [
      base,
      ...list.split(',').flatMap((one) => {
        const name = /^\s*(\w+)/.exec(one)?.[1];
        return name === undefined ? [] : [base.endsWith('.') ? base + name : `${base}.${name}`];
      }),
    ]);
    return [...plain, ...members].filter((name) => name !== '');
  },
  resolve(name, from, index) {
    const dots = /^\.*/.exec(name)![0].length;
    const path = name.slice(dots).replaceAll('.', '/');
    const folders =
      dots === 0
        ? [...ancestorsOf(from), 'src', 'lib']
        : [joined(folderOf(from), '../'.repeat(dots - 1))];
    return firstOf(
      index,
      folders.flatMap((folder) => {
        const base = folder === undefined ? undefined : joined(folder, path);
        if (base === undefined) return [];
        return [`${base}.py`, `${base}.pyi`, base === '' ? '__init__.py' : `${base}/__init__.py`];
      }),
    );
  },
};

export const GO: Language = {
  endings: ['go'],
  scan(text) {
    const blocks = blocksAfter(text, /^import[ \t]*\(/gm, /\)/g).join('\n');
    return [
      ...matchesOf(text, /^import[ \t]+(?:[\w.]+[ \t]+)?"([^"\n]+)"/gm),
      ...matchesOf(blocks, /"([^"\n]+)"/g),
    ];
  },
  /** A package is a folder; where the name of the module ends is tried from the longest path on. */
  resolve(name, _from, index) {
    // The first part of a module has a dot or is its only name: the standard library has neither.
    const parts = name.split('/');
    for (let at = 1; at < parts.length; at++) {
      const sources = index
        .inFolder(parts.slice(at).join('/'))
        .filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'));
      if (sources.length > 0) return sources;
    }
    return [];
  },
};

export const RUST: Language = {
  endings: ['rs'],
  scan: (text) => [
    ...matchesOf(text, /^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?(mod[ \t]+\w+)[ \t]*;/gm),
    ...matchesOf(text, /\b((?:crate|super|self)(?:::\w+)+)/g),
  ],
  resolve(name, from, index) {
    const file = from.slice(from.lastIndexOf('/') + 1, -'.rs'.length);
    const isFolderModule = file === 'mod' || file === 'lib' || file === 'main';
    const own = isFolderModule ? folderOf(from) : joined(folderOf(from), file)!;
    const crate = ancestorsOf(from).find((folder) => /(?:^|\/)src$/.test(folder)) ?? 'src';
    const [head = '', ...rest] = name.startsWith('mod')
      ? ['self', name.slice(4).trim()]
      : name.split('::');
    const base = head === 'crate' ? crate : head === 'super' ? folderOf(own) : own;
    const candidates: (string | undefined)[] = [];
    for (let length = rest.length; length > 0; length--) {
      const path = joined(base, rest.slice(0, length).join('/'));
      candidates.push(path && `${path}.rs`, path && `${path}/mod.rs`);
    }
    return firstOf(index, candidates);
  },
};

export const JVM: Language = {
  endings: ['java', 'kt', 'kts', 'scala'],
  scan: (text) => matchesOf(text, /^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+(?:\.\*)?)/gm),
  resolve(name, _from, index) {
    const path = name.replace(/\.\*$/, '').replaceAll('.', '/');
    // The last parts may be a member of a class.
    for (const tail of [path, folderOf(path)]) {
      if (!tail.includes('/')) continue;
      const found = ['java', 'kt', 'scala'].flatMap((ending) =>
        index.endingWith(`${tail}.${ending}`),
      );
      if (found.length > 0) return found;
    }
    return [];
  },
};

export const C: Language = {
  endings: ['c', 'cc', 'cpp', 'cxx', 'h', 'hh', 'hpp', 'hxx', 'm', 'mm'],
  scan: (text) =>
    matchesOf(text, /^[ \t]*#[ \t]*(?:include|import)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)/gm),
  resolve(name, from, index) {
    const folders = [...ancestorsOf(from), 'include', 'src'];
    return firstOf(
      index,
      folders.flatMap((folder) => [joined(folder, name), joined(folder, `include/${name}`)]),
    );
  },
};

export const STYLES: Language = {
  endings: ['css', 'scss', 'sass', 'less'],
  scan: (text) =>
    matchesOf(
      text,
      /@(?:import|use|forward)[ \t]+(?:\([^()\n]*\)[ \t]*)?(?:url\()?['"]?([^'"();\s]+)/g,
    ),
  resolve(name, from, index) {
    const path = joined(folderOf(from), name);
    if (path === undefined || name.includes(':')) return [];
    const partial = joined(folderOf(path), `_${path.slice(path.lastIndexOf('/') + 1)}`);
    const bases = [path, partial, `${path}/index`, `${path}/_index`];
    const forms = ['', '.scss', '.sass', '.less', '.css'];
    return firstOf(
      index,
      bases.flatMap((base) => forms.map((form) => base && base + form)),
    );
  },
};

export const RUBY: Language = {
  endings: ['rb', 'rake'],
  scan: (text) => [
    ...matchesOf(text, /^[ \t]*require_relative[ \t(]+['"]([^'"\n]+)['"]/gm).map(
      (name) => `./${name}`,
    ),
    ...matchesOf(text, /^[ \t]*require[ \t(]+['"]([^'"\n]+)['"]/gm),
  ],
  resolve(name, from, index) {
    const isRelative = name.startsWith('./');
    const folders = isRelative ? [folderOf(from)] : ['lib', 'app', ''];
    return firstOf(
      index,
      folders.flatMap((folder) => {
        const path = joined(folder, name);
        return [path && `${path}.rb`, path];
      }),
    );
  },
};

export const PHP: Language = {
  endings: ['php'],
  scan: (text) => [
    ...matchesOf(
      text,
      /\b(?:require|include)(?:_once)?[ \t(]*(?:__DIR__[ \t]*\.[ \t]*)?['"]([^'"\n]+\.php)['"]/g,
    ).map((name) => `./${name}`),
    ...matchesOf(text, /^[ \t]*use[ \t]+\\?(\w+(?:\\\w+)+)/gm),
  ],
  resolve(name, from, index) {
    if (name.startsWith('./')) return firstOf(index, [joined(folderOf(from), name)]);
    // The first parts of a name space stand for a folder of any name.
    const parts = name.split('\\');
    for (let at = 0; at < parts.length - 1; at++) {
      const found = index.endingWith(`${parts.slice(at).join('/')}.php`);
      if (found.length > 0) return found;
    }
    return [];
  },
};

export const OTHER_LANGUAGES: readonly Language[] = [PYTHON, GO, RUST, JVM, C, STYLES, RUBY, PHP];
