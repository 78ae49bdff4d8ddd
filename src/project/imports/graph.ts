// Which file of a project names which. Kept between two snapshots: a file is read again when it changed,
// a name is resolved again when what it stands for can have changed. What comes or goes inside an
// ignored folder is not noticed, except installed packages: a link there that leads back into the
// project gets its edges with the next change of a configuration or of the file that names it.
import { createTimeSlice } from '../time-slice.ts';
import type { Walk } from '../walk.ts';
import { isForFolder, keysOfChange } from './change-key.ts';
import { createConfigs } from './configs.ts';
import { createEdges, isSameList } from './edges.ts';
import type { ImportGraph } from './edges.ts';
import { createJavaScript } from './javascript.ts';
import type { Language } from './language.ts';
import { notingIndex } from './noting-index.ts';
import { OTHER_LANGUAGES } from './other-languages.ts';
import type { ProjectIndex } from './project-index.ts';
import { readSource } from './source.ts';
import type { Source } from './source.ts';
import { createWatchers } from './watchers.ts';

type Changed = Pick<Walk, 'listing' | 'changed'>;

export interface ImportScanner {
  /** One at a time; what changed is since the last time this was called. */
  scan(walk: Changed, index: ProjectIndex): Promise<ImportGraph>;
}

/** Of a project with more sources than this only the first are looked into. */
const MAX_SCANNED = 10_000;

export function createImportScanner(root: string): ImportScanner {
  const javascript = createJavaScript(root);
  const languages = new Map<string, Language>();
  for (const language of [javascript, ...OTHER_LANGUAGES]) {
    for (const ending of language.endings) languages.set(ending, language);
  }
  const configs = createConfigs(root);
  const edges = createEdges();
  const watchers = createWatchers();
  let sources = new Map<string, Source>();
  let isCut = false;

  function add(path: string, to: Map<string, Source>): void {
    const language = languages.get(path.slice(path.lastIndexOf('.') + 1));
    if (language === undefined) return;
    const known = sources.get(path);
    const file = `${root}/${path}`;
    to.set(path, known ?? { path, file, language, names: undefined, targets: [] });
  }

  function drop(path: string): void {
    sources.delete(path);
    watchers.remove(path);
    edges.remove(path);
  }

  function choose(changed: ReadonlySet<string>, index: ProjectIndex): void {
    if (changed.size === 0) return;
    for (const path of changed) {
      if (!index.has(path)) drop(path);
      else if (!isCut) add(path, sources);
    }
    if (!isCut && sources.size <= MAX_SCANNED) return;
    // Which are the first is known only from all.
    const all = new Map<string, Source>();
    for (const path of index.files) {
      if (all.size <= MAX_SCANNED) add(path, all);
    }
    isCut = all.size > MAX_SCANNED;
    const chosen = new Map([...all].slice(0, MAX_SCANNED));
    for (const path of sources.keys()) if (!chosen.has(path)) drop(path);
    sources = chosen;
  }

  /** The names of one file: all, or those that watch for one of these keys. */
  function resolve(source: Source, index: ProjectIndex, keys?: ReadonlySet<string>): void {
    const { path, language, names = [], targets } = source;
    const watched = new Set<string>();
    const noting = language.watchedFor ? index : notingIndex(index, (key) => watched.add(key));
    for (const [at, name] of names.entries()) {
      const own = language.watchedFor?.(name, path);
      for (const key of own ?? []) watched.add(key);
      if (keys && own && !own.some((key) => keys.has(key))) continue;
      targets[at] = language.resolve(name, path, noting);
    }
    watchers.set(path, watched);
    const found = new Set(targets.flat());
    found.delete(path);
    edges.set(path, [...found]);
  }

  /** Whether after these changes every name has to be resolved again. */
  function matterToAll({ listing, changed }: Changed, keys: ReadonlySet<string>): boolean {
    if (configs.hasChanged(listing)) return true;
    if (changed.size === 0) return false;
    // The folder that such a file stands for can have other names, by links.
    if (listing.links.length > 0 && [...changed].some(isForFolder)) return true;
    return configs.matterToAll(keys);
  }

  return {
    async scan(walk, index) {
      const slice = createTimeSlice();
      // To be resolved as a whole: they name something else, or one of their files is gone.
      const stale = new Set<string>();
      const { importers } = edges.graph();
      for (const target of walk.changed) {
        for (const path of importers.get(target) ?? []) stale.add(path);
      }
      choose(walk.changed, index);
      for (const source of sources.values()) {
        const names = readSource(source);
        if (names && !(source.names && isSameList(source.names, names))) {
          Object.assign(source, { names, targets: [] });
          stale.add(source.path);
        }
        if (slice.isOver()) await slice.next();
      }
      const keys = new Set(Array.from(walk.changed, keysOfChange).flat());
      const isAll = matterToAll(walk, keys);
      const open = new Set(isAll ? sources.keys() : stale);
      if (!isAll) for (const key of keys) for (const path of watchers.of(key)) open.add(path);
      if (open.size > 0) javascript.forget();
      for (const path of open) {
        const source = sources.get(path);
        if (source) resolve(source, index, isAll || stale.has(path) ? undefined : keys);
        if (slice.isOver()) await slice.next();
      }
      return edges.graph();
    },
  };
}
