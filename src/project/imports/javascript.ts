import { join, posix, relative, sep } from 'node:path';
import { Visitor, parseSync } from 'oxc-parser';
import { ResolverFactory } from 'oxc-resolver';
import { ANY_INDEX, isForFolder, keyOfPath } from './change-key.ts';
import { blocksAfter } from './language.ts';
import type { Language } from './language.ts';
import { folderOf } from './project-index.ts';

const SCRIPT_ENDINGS = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs'];
const COMPONENT_ENDINGS = ['vue', 'svelte', 'astro'];

/** The scripts of a component, which has markup around them. */
function scriptOf(text: string, path: string): { text: string; name: string } {
  if (!COMPONENT_ENDINGS.some((ending) => path.endsWith(`.${ending}`))) return { text, name: path };
  const scripts = blocksAfter(text, /<script\b/gi, /<\/script>/gi).map((tag) =>
    tag.slice(tag.indexOf('>') + 1),
  );
  const front = /^---\r?\n/.test(text) ? blocksAfter(text, /^---\r?/g, /\n---/g) : [];
  const parts = [...front, ...scripts];
  return { text: parts.join('\n'), name: `${path}.ts` };
}

function literalAt(text: string, { start, end }: { start: number; end: number }): string[] {
  const literal = /^(['"`])([^'"`$\\]+)\1$/.exec(text.slice(start, end))?.[2];
  return literal === undefined ? [] : [literal];
}

/** `require('x')` and `import x = require('x')`: those need the whole tree. */
function requiredBy(parsed: ReturnType<typeof parseSync>): string[] {
  const names: string[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [argument] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'require') return;
      if (argument?.type === 'Literal' && typeof argument.value === 'string') {
        names.push(argument.value);
      }
    },
    TSExternalModuleReference({ expression }) {
      names.push(expression.value);
    },
  }).visit(parsed.program);
  return names;
}

/** The names that a script imports, as they stand in it. */
export function scanScript(source: string, path: string): string[] {
  const { text, name } = scriptOf(source, path);
  // Most files of plain data or styles name nothing: they need no parser.
  if (!/\b(?:import|export|require)\b/.test(text)) return [];
  const parsed = parseSync(name, text);
  const { staticImports, staticExports, dynamicImports } = parsed.module;
  const names = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => (moduleRequest === null ? [] : [moduleRequest.value])),
    ),
    ...dynamicImports.flatMap(({ moduleRequest }) => literalAt(text, moduleRequest)),
    ...(text.includes('require') ? requiredBy(parsed) : []),
  ];
  return [...new Set(names)].filter((one) => !one.startsWith('node:'));
}

/** What has to come or go before a name can mean something else, its configuration aside. */
function watchedFor(name: string, from: string): string[] {
  // What follows these signs is no part of the path, unless a file is called so.
  const forms = new Set([name, name.replace(/(?<=.)[?#].*$/s, '')]);
  return [...forms].flatMap((each) => {
    const form = each.replace(/(?<=^\/|[^/])\/+$/, '');
    if (/^\.{0,2}\//.test(form) || form === '.' || form === '..') {
      return keyOfPath(posix.join(folderOf(from), form).replace(/^\.$/, ''));
    }
    // Where an alias leads, the folder has another name.
    return isForFolder(form) ? [keyOfPath(form), ANY_INDEX] : keyOfPath(form);
  });
}

export interface JavaScript extends Language {
  /** The resolver keeps what it saw on disk: to be called before each snapshot. */
  forget(): void;
}

export function createJavaScript(root: string): JavaScript {
  const resolver = new ResolverFactory({
    tsconfig: 'auto',
    extensions: [...SCRIPT_ENDINGS, 'd.ts', 'json', ...COMPONENT_ENDINGS].map(
      (ending) => `.${ending}`,
    ),
    // A name in the form of the output stands for the source it is made from.
    extensionAlias: {
      '.js': ['.ts', '.tsx', '.js', '.jsx'],
      '.jsx': ['.tsx', '.jsx'],
      '.mjs': ['.mts', '.mjs'],
      '.cjs': ['.cts', '.cjs'],
    },
    conditionNames: ['import', 'require', 'node', 'types', 'default'],
    mainFields: ['module', 'main'],
    nodePath: false,
  });
  return {
    endings: [...SCRIPT_ENDINGS, ...COMPONENT_ENDINGS],
    scan: scanScript,
    watchedFor,
    forget: () => resolver.clearCache(),
    resolve(name, from, index) {
      const { path } = resolver.resolveFileSync(join(root, from), name);
      if (path === undefined) return [];
      const found = relative(root, path).split(sep).join('/');
      return index.has(found) ? [found] : [];
    },
  };
}
