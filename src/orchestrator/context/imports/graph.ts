// Which file of a project names which.
import type { FileReader } from '../project-file.ts';
import { createJavaScript } from './javascript.ts';
import type { Language } from './language.ts';
import { OTHER_LANGUAGES } from './other-languages.ts';
import type { ProjectIndex } from './project-index.ts';

export interface ImportGraph {
  imports: ReadonlyMap<string, readonly string[]>;
  importers: ReadonlyMap<string, readonly string[]>;
}

export interface ImportScanner {
  scan(files: readonly string[], index: ProjectIndex): Promise<ImportGraph>;
}

/** Of a project with more sources than this only the first are looked into. */
const MAX_SCANNED = 10_000;
const AT_ONCE = 32;

export function createImportScanner(root: string, reader: FileReader): ImportScanner {
  // By the hash of the text: what a file names changes only with it.
  const names = new Map<string, { sha256: string; names: readonly string[] }>();

  async function namesOf(path: string, language: Language): Promise<readonly string[]> {
    const file = await reader.read(path);
    if (file.kind !== 'text') return [];
    const known = names.get(path);
    if (known?.sha256 === file.sha256) return known.names;
    const found = [...new Set(language.scan(file.text, path))];
    names.set(path, { sha256: file.sha256, names: found });
    return found;
  }

  return {
    async scan(files, index) {
      // A new one each time: files come and go between two looks.
      const languages = new Map<string, Language>();
      for (const language of [createJavaScript(root), ...OTHER_LANGUAGES]) {
        for (const ending of language.endings) languages.set(ending, language);
      }
      const languageOf = (path: string) => languages.get(path.slice(path.lastIndexOf('.') + 1));
      const sources = files.filter((path) => languageOf(path)).slice(0, MAX_SCANNED);
      const imports = new Map<string, string[]>();
      const importers = new Map<string, string[]>();
      for (let at = 0; at < sources.length; at += AT_ONCE) {
        const group = sources.slice(at, at + AT_ONCE);
        const scanned = await Promise.all(group.map((path) => namesOf(path, languageOf(path)!)));
        for (const [offset, path] of group.entries()) {
          const language = languageOf(path)!;
          const found = new Set(
            scanned[offset]!.flatMap((name) => language.resolve(name, path, index)),
          );
          found.delete(path);
          imports.set(path, [...found]);
          for (const target of found) {
            const list = importers.get(target);
            if (list) list.push(path);
            else importers.set(target, [path]);
          }
        }
      }
      return { imports, importers };
    },
  };
}
