// Writes the reference tables of docs/errors.md and docs/config.md from the tables in the code, each
// between its two markers (the prose around them is written by hand), and the schemas of manifests.
// With --check it only compares.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SETTINGS, type Setting } from '../src/config.ts';
import { ERROR_CODES } from '../src/contract/errors.ts';
import { MANIFEST_SCHEMAS } from '../src/manifest/schema/files.ts';

const BEGIN = '<!-- generated: begin (npm run docs) -->';
const END = '<!-- generated: end -->';

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}

/** A table with padded columns, as the formatter would leave it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(cell));
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[], fill: string) =>
    `| ${row.map((text, column) => text.padEnd(widths[column]!, fill)).join(' | ')} |`;
  const [first = [], ...rest] = all;
  const rule = head.map(() => '-');
  return [line(first, ' '), line(rule, '-'), ...rest.map((row) => line(row, ' '))].join('\n');
}

function errorTable(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { status, meaning }]) => [
    `\`${code}\``,
    String(status),
    meaning,
  ]);
  return table(['Code', 'Status', 'Meaning'], rows);
}

function settingsTable(): string {
  const rows = Object.values(SETTINGS).map((setting: Setting) => [
    `\`${setting.env}\``,
    setting.flag === undefined ? '' : `\`${setting.flag}\``,
    setting.default ?? setting.unset ?? '',
    setting.description,
  ]);
  return table(['Variable', 'Flag', 'Default', 'Meaning'], rows);
}

export const GENERATED_DOCS: Readonly<Record<string, () => string>> = {
  'docs/errors.md': errorTable,
  'docs/config.md': settingsTable,
};

export const GENERATED_SCHEMAS: Readonly<Record<string, () => string>> = Object.fromEntries(
  Object.entries(MANIFEST_SCHEMAS).map(([name, schema]) => [
    `schemas/${name}`,
    () => `${JSON.stringify(schema(), null, 2)}\n`,
  ]),
);

function pathOf(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

export function readDoc(path: string): string {
  return existsSync(pathOf(path)) ? readFileSync(pathOf(path), 'utf8') : '';
}

/** The file as it should be: its own prose around a fresh table. */
export function withFreshTable(path: string, current: string): string {
  const begin = current.indexOf(BEGIN);
  const end = current.indexOf(END);
  const make = GENERATED_DOCS[path];
  if (begin < 0 || end < begin) throw new Error(`${path} lacks its two "generated" markers.`);
  if (make === undefined) throw new Error(`${path} is not a generated document.`);
  return `${current.slice(0, begin + BEGIN.length)}\n\n${make()}\n\n${current.slice(end)}`;
}

function main(checkOnly: boolean): void {
  mkdirSync(pathOf('schemas'), { recursive: true });
  for (const path of [...Object.keys(GENERATED_DOCS), ...Object.keys(GENERATED_SCHEMAS)]) {
    const current = readDoc(path);
    const fresh = GENERATED_SCHEMAS[path]?.() ?? withFreshTable(path, current);
    if (fresh === current) continue;
    if (checkOnly) {
      console.error(`${path} is stale: run "npm run docs" and commit the result.`);
      process.exitCode = 1;
      continue;
    }
    writeFileSync(pathOf(path), fresh);
    console.log(`wrote ${path}`);
  }
}

if (import.meta.main) main(process.argv.includes('--check'));
