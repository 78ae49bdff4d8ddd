// Migrations run while servers of the version before work: what would break them or hold them up fails here.
import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { splitStatements } from '../../src/store/postgres/sql-statements.ts';
import { RULES, judgeMigration } from './migration-rules.ts';
import { fromRoot } from './tree.ts';

const migrationFiles = () => readdirSync(fromRoot('sql'));

it('migrations neither break servers of the version before nor hold them up', () => {
  const files = migrationFiles();
  expect(files).toContain('0107_jobs.sql');
  const problems = files.flatMap((name) => {
    const { findings, idle } = judgeMigration(readFileSync(fromRoot(`sql/${name}`), 'utf8'));
    return [
      ...findings.map(
        ({ rule, statement, instead }) => `${name}: ${rule}: ${statement}. ${instead}`,
      ),
      ...idle.map((rule) => `${name}: "-- allowed: ${rule}" excuses nothing`),
    ];
  });
  expect(problems).toEqual([]);
});

/** One statement for each rule that it breaks, and its next of kin that is fine. */
const SAMPLES: [rule: string, bad: string, fine: string][] = [
  ['drop', 'alter table jobs drop column x', 'alter table jobs drop constraint x'],
  ['drop', 'DROP TABLE jobs', 'create table t (a int); alter table t drop column a'],
  ['drop index', 'drop index jobs_by_team', 'drop index concurrently if exists jobs_by_team'],
  ['rename', 'alter table jobs rename column a to b', 'alter table jobs rename constraint a to b'],
  ['rename', 'alter table jobs rename to works', 'alter index a rename to b'],
  ['change type', 'alter table jobs alter a type bigint', 'alter table jobs add a bigint'],
  [
    'change type',
    'alter table jobs alter column a set data type text',
    "comment on table jobs is 'type'",
  ],
  [
    'drop default',
    'alter table jobs alter a drop default',
    'alter table jobs alter a set default 1',
  ],
  [
    'set not null',
    'alter table jobs alter a set not null',
    'alter table jobs alter a drop not null',
  ],
  [
    'add column',
    'alter table jobs add column a uuid default gen_random_uuid()',
    'alter table jobs add column a timestamptz not null default now()',
  ],
  [
    'add column',
    'alter table jobs add a text not null',
    "alter table jobs add a text not null default ''",
  ],
  [
    'add column',
    'alter table jobs add a int, add column b text references teams (id)',
    'alter table jobs add a int, add column b numeric(3, 2)',
  ],
  [
    'add constraint',
    'alter table jobs add constraint c check (a > 0)',
    'alter table jobs add constraint c check (a > 0) not valid',
  ],
  [
    'add constraint',
    'alter table jobs add unique (a, b)',
    'alter table jobs add constraint c unique using index i',
  ],
  [
    'create index',
    'create index on jobs (a)',
    'create unlogged table t (a int); create index t_a on t (a)',
  ],
  ['create index', 'create unique index i on jobs (a)', 'create index concurrently i on jobs (a)'],
  ['change many rows', 'update jobs set a = 1', 'create table t (a int); insert into t select 1'],
  ['lock', 'truncate jobs', 'select 1'],
  ['hidden statements', 'do $$ begin drop table jobs; end $$', "select 'do'"],
];

it('each rule finds what it is for, and lets pass what is like it', () => {
  for (const [rule, bad, fine] of SAMPLES) {
    const found = judgeMigration(bad).findings.map((finding) => finding.rule);
    expect(found, bad).toContain(rule);
    expect(judgeMigration(fine), fine).toEqual({ findings: [], idle: [] });
  }
  const shown = new Set(SAMPLES.map(([rule]) => rule));
  expect(RULES.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
});

it('an exception needs a reason, holds for its rule alone, and must not be left over', () => {
  const bad = 'create index on jobs (a); drop table jobs;';
  const rules = (sql: string) => judgeMigration(sql).findings.map(({ rule }) => rule);
  expect(rules(`-- allowed: drop: no release has used it since May\n${bad}`)).toEqual([
    'create index',
  ]);
  expect(rules(`-- allowed: drop: because\n${bad}`)).toEqual(['create index', 'drop']);
  const idle = '-- allowed: rename: nobody has read the old name since 0019\nselect 1;';
  expect(judgeMigration(idle)).toEqual({ findings: [], idle: ['rename'] });
});

it('what takes something away says which servers can do without it', () => {
  const text = (name: string) => readFileSync(fromRoot(`sql/${name}`), 'utf8');
  const silent = migrationFiles().filter(
    (name) =>
      /^-- allowed: (?:drop|rename|change type|drop default)/m.test(text(name)) &&
      !/^-- millrace: needs servers from \d{4}$/m.test(text(name)),
  );
  expect(silent).toEqual([]);
});

it('statements are split where they end, not where a text has a semicolon', () => {
  expect(
    splitStatements(`-- one; two
      select ';', "a;b", $$ ; $$, $x$ ; $$ ; $x$ /* ; */; ; select 'it''s;' - 1 / 2`),
  ).toEqual([`select ';', "a;b", $$ ; $$, $x$ ; $$ ; $x$`, `select 'it''s;' - 1 / 2`]);
});
