// Lists every text in the sources that a person may read, once, with its places: to be read in one go.
//   node scripts/list-strings.ts [folder or file ...]
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Visitor, parseSync } from 'oxc-parser';

/** Two words or more; SQL, patterns and paths are for machines. */
const READABLE = /\p{L}{2,}[^\n]*[ \n]\p{L}/u;
const SQL =
  /^\s*(?:\(?select|insert|update|delete|with|create|alter|drop|listen|notify|union|set|begin)\s|\bfor update\b/i;

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return path.endsWith('.ts') ? [path] : [];
  return readdirSync(path, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesIn(join(path, entry.name)));
}

function textsOf(file: string): { text: string; place: string }[] {
  const source = readFileSync(file, 'utf8');
  const found: { text: string; place: string }[] = [];
  function add(text: string, start: number): void {
    if (!READABLE.test(text) || SQL.test(text)) return;
    const line = source.slice(0, start).split('\n').length;
    found.push({ text: text.replaceAll(/\s*\n\s*/g, ' ⏎ '), place: `${file}:${line}` });
  }
  new Visitor({
    Literal(node) {
      if (typeof node.value === 'string') add(node.value, node.start);
    },
    TemplateLiteral(node) {
      const text = node.quasis
        .map(({ value }, index) => {
          const hole = node.expressions[index];
          const name = hole === undefined ? '' : source.slice(hole.start, hole.end);
          const isShort = name.length <= 30 && !name.includes('\n');
          return (value.cooked ?? '') + (hole === undefined ? '' : isShort ? `{${name}}` : '{...}');
        })
        .join('');
      add(text, node.start);
    },
  }).visit(parseSync(file, source).program);
  return found;
}

const paths = process.argv.slice(2);
const places = new Map<string, string[]>();
for (const file of (paths.length > 0 ? paths : ['src']).flatMap(filesIn)) {
  for (const { text, place } of textsOf(file)) {
    places.set(text, [...(places.get(text) ?? []), place]);
  }
}
for (const [text, where] of places) console.log(`${where.join(', ')}\n    ${text}`);
console.log(`${places.size} texts`);
