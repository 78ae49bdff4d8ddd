import { readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesUnder, fromRoot, withoutComments } from './tree.ts';

type Allowed = readonly string[] | 'anything';

/** Who may import whom. Files directly in src (main, index) compose and are free. */
const MAY_IMPORT: Record<string, Allowed> = {
  contract: [],
  manifest: ['contract'],
  domain: ['manifest', 'contract'],
  platform: [],
  sandbox: ['platform'],
  store: ['domain', 'manifest', 'contract', 'platform'],
  providers: ['domain', 'contract', 'platform'],
  executions: ['store', 'domain', 'manifest', 'contract', 'platform'],
  engine: ['store', 'providers', 'domain', 'contract', 'platform'],
  gateway: ['store', 'providers', 'domain', 'contract', 'platform'],
  services: ['store', 'domain', 'manifest', 'contract', 'platform'],
  http: ['services', 'gateway', 'domain', 'manifest', 'contract'],
  client: ['contract', 'domain'],
  project: ['domain', 'manifest', 'contract', 'platform'],
  git: ['contract', 'platform'],
  planner: ['project', 'client', 'manifest', 'domain', 'contract', 'platform'],
  agents: ['project', 'sandbox', 'client', 'domain', 'manifest', 'contract', 'platform'],
  orchestrator: [
    'agents',
    'git',
    'project',
    'sandbox',
    'client',
    'domain',
    'manifest',
    'contract',
    'platform',
  ],
  tools: ['client', 'orchestrator', 'manifest', 'domain', 'contract', 'platform'],
  runner: [
    'orchestrator',
    'git',
    'sandbox',
    'client',
    'domain',
    'manifest',
    'contract',
    'platform',
  ],
  config: ['domain', 'contract'],
  app: 'anything',
  cli: 'anything',
};

/** The same inside of the dashboard. Files directly in web (main) compose and are free. */
const WEB_MAY_IMPORT: Record<string, Allowed> = {
  api: [],
  ui: ['api'],
  session: ['ui', 'api'],
  live: ['session', 'api'],
  docs: [],
  pages: ['live', 'session', 'ui', 'api'],
  app: 'anything',
};

/** Layers that run anywhere and decide without the machine: no built-in module but for its types. */
const PURE = new Set(['contract', 'manifest', 'domain']);
/** Pure layers with code: they never ask for the time or for randomness. */
const DECIDES = new Set(['manifest', 'domain']);

interface Import {
  specifier: string;
  typeOnly: boolean;
}

function importsOf(source: string): Import[] {
  const text = withoutComments(source);
  const statements =
    /\b(?:import|export)\s+(type\s+)?(?:[\w$*\s{},]*?\bfrom\s*)?(['"])([^'"\n]+)\2/g;
  const calls = /\bimport\s*\(\s*(['"`])([^'"`\n]+)\1/g;
  return [
    ...[...text.matchAll(statements)].map(([, type, , specifier = '']) => ({
      specifier,
      typeOnly: type !== undefined,
    })),
    ...[...text.matchAll(calls)].map(([, , specifier = '']) => ({ specifier, typeOnly: false })),
  ];
}

/** The first folder below src or web, or null for the composing files directly in there. */
function layerOf(file: string): string | null {
  const parts = file.split('/');
  return parts.length > 2 ? (parts[1] ?? null) : null;
}

function importProblems(file: string, source: string): string[] {
  const layer = layerOf(file);
  if (layer === null) return [];
  const allowed = MAY_IMPORT[layer];
  if (allowed === undefined) return [`${file}: the folder ${layer} is not in the layer table`];
  return importsOf(source).flatMap(({ specifier, typeOnly }) => {
    if (!specifier.startsWith('.')) {
      const impure = PURE.has(layer) && specifier.startsWith('node:') && !typeOnly;
      return impure ? [`${file} imports ${specifier}, but ${layer} may only use its types`] : [];
    }
    if (allowed === 'anything') return [];
    const target = posix.join(dirname(file), specifier);
    const targetLayer = layerOf(target);
    const fine = targetLayer === layer || (targetLayer !== null && allowed.includes(targetLayer));
    return fine ? [] : [`${file} imports ${target}, which ${layer} may not`];
  });
}

function webImportProblems(file: string, source: string): string[] {
  const layer = layerOf(file);
  if (layer === null) return [];
  const allowed = WEB_MAY_IMPORT[layer];
  if (allowed === undefined) return [`${file}: the folder ${layer} is not in the layer table`];
  if (allowed === 'anything') return [];
  return importsOf(source).flatMap(({ specifier }) => {
    const target = posix.join(dirname(file), specifier);
    const targetLayer = layerOf(target);
    const isOurs = specifier.startsWith('.') && target.startsWith('web/');
    const isAllowed =
      targetLayer === layer || (targetLayer !== null && allowed.includes(targetLayer));
    return isOurs && !isAllowed ? [`${file} imports ${target}, which ${layer} may not`] : [];
  });
}

function worldProblems(file: string, source: string): string[] {
  const asks = /\b(Date\.now\(|Math\.random\(|new Date\(\))/.test(withoutComments(source));
  return asks && DECIDES.has(layerOf(file) ?? '')
    ? [`${file} asks for the time or for randomness; pure layers get both passed in`]
    : [];
}

const STATEMENT =
  /['"`]\s*(?:select\s[^'"`]*\bfrom\b|insert\s+into\s|update\s+\w+\s+(?:\w+\s+)?set\s|delete\s+from\s|with\s+\w+\s+as\s|savepoint\s|rollback\s+to\s)/i;

/** Tables and columns are known in one folder: whoever changes a table looks there alone. */
function sqlProblems(file: string, source: string): string[] {
  if (layerOf(file) === 'store') return [];
  const text = withoutComments(source);
  const asks = /\b(?:db|tx|session|listener)\s*\.\s*query\s*[<(]/.test(text);
  return asks || STATEMENT.test(text) ? [`${file} has SQL in it, which belongs in src/store`] : [];
}

/**
 * Files that need each other when they are loaded, each the next and the last the first; none when
 * there are no such. Types may refer to each other: a shape stays beside the code that makes it.
 */
function circleIn(files: readonly { file: string; source: string }[]): string[] {
  const targets = new Map(
    files.map(({ file, source }) => [
      file,
      importsOf(source)
        .filter(({ typeOnly }) => !typeOnly)
        .map(({ specifier }) => posix.join(dirname(file), specifier)),
    ]),
  );
  const done = new Set<string>();
  function circleFrom(file: string, way: readonly string[]): string[] {
    if (way.includes(file)) return way.slice(way.indexOf(file));
    if (done.has(file)) return [];
    for (const target of targets.get(file) ?? []) {
      const circle = circleFrom(target, [...way, file]);
      if (circle.length > 0) return circle;
    }
    done.add(file);
    return [];
  }
  for (const { file } of files) {
    const circle = circleFrom(file, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

const sources = filesUnder('src', '.ts', '.tsx', '.mjs', '.js').map((file) => ({
  file,
  source: readFileSync(fromRoot(file), 'utf8'),
}));

const webSources = filesUnder('web', '.ts', '.tsx').map((file) => ({
  file,
  source: readFileSync(fromRoot(file), 'utf8'),
}));

describe('the dashboard', () => {
  it('imports only along its layer table', () => {
    expect(webSources.map(({ file }) => file)).toContain('web/session/me.ts');
    expect(webSources.flatMap(({ file, source }) => webImportProblems(file, source))).toEqual([]);
  });

  it('has no files that need each other when they are loaded', () => {
    expect(circleIn(webSources)).toEqual([]);
  });
});

describe('the source tree', () => {
  it('is found', () => {
    expect(sources.map(({ file }) => file)).toContain('src/contract/errors.ts');
  });

  it('imports only along the layer table', () => {
    expect(sources.flatMap(({ file, source }) => importProblems(file, source))).toEqual([]);
  });

  it('has no files that need each other when they are loaded', () => {
    expect(circleIn(sources)).toEqual([]);
  });

  it('has SQL in the store only', () => {
    expect(sources.flatMap(({ file, source }) => sqlProblems(file, source))).toEqual([]);
  });

  it('gets the time and randomness passed in', () => {
    expect(sources.flatMap(({ file, source }) => worldProblems(file, source))).toEqual([]);
  });
});

describe('the layer check', () => {
  const store = '../store/jobs.ts';
  it.each([
    ['a named import', `import { a } from '${store}';`],
    ['a type import', `import type { A } from "${store}";`],
    ['a namespace import', `import * as jobs from '${store}';`],
    ['an import over several lines', `import {\n  a,\n  type B,\n} from '${store}';`],
    ['a side-effect import', `import '${store}';`],
    ['a dynamic import', `const jobs = await import('${store}');`],
    ['an import type expression', `type A = import('${store}').A;`],
    ['a re-export', `export { a } from '${store}';`],
    ['a star re-export', `export * from '${store}';`],
  ])('finds %s', (_name, source) => {
    expect(importProblems('src/http/routes.ts', source)).toEqual([
      'src/http/routes.ts imports src/store/jobs.ts, which http may not',
    ]);
  });

  it('keeps pages of the dashboard away from its frame', () => {
    const page = 'web/pages/runs/runs-page.tsx';
    expect(webImportProblems(page, `import { a } from '../../app/router.tsx';`)).toEqual([
      'web/pages/runs/runs-page.tsx imports web/app/router.tsx, which pages may not',
    ]);
    expect(webImportProblems(page, `import { a } from '../../session/me.ts';`)).toEqual([]);
    expect(webImportProblems(page, `import { a } from '../../../src/client/index.ts';`)).toEqual(
      [],
    );
    expect(webImportProblems('web/tools/a.ts', '')).toHaveLength(1);
  });

  it('finds files that need each other', () => {
    const files = [
      { file: 'src/a/x.ts', source: `import { y } from './y.ts';` },
      { file: 'src/a/y.ts', source: `import { z } from '../b/z.ts';` },
      { file: 'src/b/z.ts', source: `import { y } from '../a/y.ts';` },
    ];
    expect(circleIn(files)).toEqual(['src/a/y.ts', 'src/b/z.ts']);
    expect(circleIn(files.slice(0, 2))).toEqual([]);
    const types = { file: 'src/a/y.ts', source: `import type { Z } from '../b/z.ts';` };
    expect(circleIn([files[0]!, types, files[2]!])).toEqual([]);
  });

  it('keeps composing files out of the layers', () => {
    expect(importProblems('src/store/jobs.ts', `import { c } from '../index.ts';`)).toHaveLength(1);
  });

  it('keeps settings out of the layers: values are passed in', () => {
    const source = `import type { Config } from '../config/config.ts';`;
    expect(importProblems('src/store/jobs.ts', source)).toHaveLength(1);
    expect(importProblems('src/app/a.ts', source)).toEqual([]);
  });

  it('refuses a folder that the table does not know', () => {
    expect(importProblems('src/utils/a.ts', '')).toHaveLength(1);
  });

  it('does not take words in comments or strings for imports', () => {
    const source = `// import { a } from '${store}';\nconst b = 'x'; /* import '${store}' */`;
    expect(importProblems('src/http/routes.ts', source)).toEqual([]);
  });

  it('lets pure layers use the types of built-in modules and nothing more', () => {
    const file = 'src/domain/a.ts';
    expect(importProblems(file, `import type { Readable } from 'node:stream';`)).toEqual([]);
    expect(importProblems(file, `import { readFileSync } from 'node:fs';`)).toHaveLength(1);
  });

  it('finds SQL', () => {
    const file = 'src/executions/a.ts';
    expect(sqlProblems(file, `await tx.query('savepoint advance');`)).toHaveLength(1);
    expect(sqlProblems(file, `await deps.db.query<Row>(LIST, [id]);`)).toHaveLength(1);
    expect(sqlProblems(file, 'const LIST = `select id\n from jobs`;')).toHaveLength(1);
    expect(sqlProblems(file, `const text = 'update runs r set status = $1';`)).toHaveLength(1);
    expect(sqlProblems(file, `const hint = 'Select a model, then update it.';`)).toEqual([]);
    expect(sqlProblems('src/store/a.ts', `await tx.query('select 1 from a');`)).toEqual([]);
  });

  it('finds reads of the clock', () => {
    expect(worldProblems('src/domain/a.ts', 'const now = Date.now();')).toHaveLength(1);
    expect(worldProblems('src/domain/a.ts', '// never Date.now() here')).toEqual([]);
    expect(worldProblems('src/store/a.ts', 'const now = Date.now();')).toEqual([]);
  });
});
