// Writes the reference tables of docs/errors.md, docs/config.md, docs/run-events.md, docs/accounts.md, docs/teams.md, docs/billing.md and docs/assistants.md from the
// tables in the code, each between its two markers (the prose around them is written by hand), and the schemas of manifests.
// With --check it only compares.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SETTINGS, type Setting } from '../src/config/settings.ts';
import { AUDIT_ACTIONS } from '../src/contract/audit-actions.ts';
import { ERROR_CODES } from '../src/contract/errors.ts';
import { FAILURE_CODES } from '../src/contract/job-codes.ts';
import { ACTIONS, PERMISSIONS, ROLES, SCOPES, type Action } from '../src/contract/permissions.ts';
import { RUN_EVENTS } from '../src/contract/run-events.ts';
import { TIERS, type TierLimits } from '../src/domain/job/tiers.ts';
import { ROUTE_ACCESS } from '../src/http/route-access.ts';
import { MANIFEST_SCHEMAS } from '../src/manifest/schema/files.ts';
import { toolTokens, type Size } from './tool-tokens.ts';

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

function failureTable(): string {
  const rows = Object.entries(FAILURE_CODES).map(([code, { of, retryable, meaning }]) => [
    `\`${code}\``,
    of === 'job' ? 'jobs, executions' : 'executions',
    retryable ? 'yes' : 'no',
    meaning,
  ]);
  return table(['Code', 'Of', 'Can a retry help?', 'Meaning'], rows);
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

/** Fields that may be missing have a question mark. */
function runEventTable(): string {
  const rows = Object.entries(RUN_EVENTS).map(([type, { about, fields }]) => {
    const names = Object.entries(fields.shape).map(([name, field]) => {
      const mark = field.type === 'optional' ? '?' : '';
      const meaning = field.description === undefined ? '' : ` (${field.description})`;
      return `\`${name}${mark}\`${meaning}`;
    });
    return [`\`${type}\``, about, names.join(', ')];
  });
  return table(['Type', 'When', 'Fields'], rows);
}

function scopeTable(): string {
  const rows = SCOPES.filter((scope) => scope !== 'admin').map((scope) => {
    const routes = Object.entries(ROUTE_ACCESS).flatMap(([route, access]) =>
      access !== 'public' && access.scope === scope ? [`\`${route}\``] : [],
    );
    return [`\`${scope}\``, routes.length > 0 ? routes.join(', ') : 'none yet'];
  });
  return table(['Scope', 'Opens'], rows);
}

function permissionTable(): string {
  const rows = Object.entries(ACTIONS).map(([action, meaning]) => [
    meaning,
    ...ROLES.map((role) => (PERMISSIONS[role].includes(action as Action) ? 'yes' : '')),
  ]);
  return table(['', ...ROLES], rows);
}

function auditTable(): string {
  const rows = Object.entries(AUDIT_ACTIONS).map(([action, meaning]) => [`\`${action}\``, meaning]);
  return table(['Action', 'Meaning'], rows);
}

function tierTable(): string {
  const shown = (value: number | null, none: string) => value?.toLocaleString('en-US') ?? none;
  const rows = Object.entries(TIERS).map(([tier, limits]: [string, TierLimits]) => [
    limits.label,
    `\`${tier}\``,
    shown(limits.runsPerMonth, 'unlimited'),
    limits.requestsPerMinute.toLocaleString('en-US'),
    shown(limits.concurrentJobs, 'unlimited'),
    shown(limits.retentionDays, 'until deleted'),
  ]);
  const head = ['Plan', 'Tier', 'Runs a month', 'Requests a minute', 'Jobs at once', 'Days kept'];
  return table(head, rows);
}

function tokenTable(): string {
  const { shown, whole } = toolTokens();
  const row = (what: string, { tokens, characters }: Size) => [
    what,
    tokens.toLocaleString('en-US'),
    characters.toLocaleString('en-US'),
  ];
  const rows = [
    row('names, descriptions and inputs of the six tools', shown),
    row('the whole list, with the shapes of the results', whole),
  ];
  return table(['', 'Tokens', 'Characters'], rows);
}

/** The tables of each document, in the order of its markers. */
export const GENERATED_DOCS: Readonly<Record<string, readonly (() => string)[]>> = {
  'docs/errors.md': [errorTable, failureTable],
  'docs/config.md': [settingsTable],
  'docs/run-events.md': [runEventTable],
  'docs/accounts.md': [scopeTable],
  'docs/teams.md': [permissionTable, auditTable],
  'docs/billing.md': [tierTable],
  'docs/assistants.md': [tokenTable],
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

/** The file as it should be: its own prose around fresh tables. */
export function withFreshTables(path: string, current: string): string {
  const tables = GENERATED_DOCS[path];
  if (tables === undefined) throw new Error(`${path} is not a generated document.`);
  let fresh = '';
  let rest = current;
  for (const make of tables) {
    const begin = rest.indexOf(BEGIN);
    const end = rest.indexOf(END);
    if (begin < 0 || end < begin) throw new Error(`${path} lacks its "generated" markers.`);
    fresh += `${rest.slice(0, begin + BEGIN.length)}\n\n${make()}\n\n${END}`;
    rest = rest.slice(end + END.length);
  }
  return fresh + rest;
}

function main(checkOnly: boolean): void {
  mkdirSync(pathOf('schemas'), { recursive: true });
  for (const path of [...Object.keys(GENERATED_DOCS), ...Object.keys(GENERATED_SCHEMAS)]) {
    const current = readDoc(path);
    const fresh = GENERATED_SCHEMAS[path]?.() ?? withFreshTables(path, current);
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
