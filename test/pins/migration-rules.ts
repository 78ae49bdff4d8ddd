// What a migration must not do while servers of the version before still work on the same tables: break their
// statements, or hold a lock that they wait for as long as a large table takes.
import { splitStatements } from '../../src/store/postgres/sql-statements.ts';

export interface Rule {
  name: string;
  /** What to do instead. */
  instead: string;
  breaks(statement: Statement): boolean;
}

interface Statement {
  /** In small letters, one space between words, strings emptied. */
  text: string;
  /** What an `alter table` or `create index` is about, if it was not made by the same file. */
  table: string | undefined;
}

const VOLATILE = /\b(?:random|gen_random_uuid|uuidv7|clock_timestamp|timeofday|nextval)\s*\(/;

/** Parts of an `alter table`, at its commas outside of brackets. */
function actionsOf({ text, table }: Statement): string[] {
  if (table === undefined || !text.startsWith('alter table')) return [];
  const body = text.replace(/^alter table (?:if exists )?(?:only )?\S+ /, '');
  let depth = 0;
  let from = 0;
  const actions: string[] = [];
  for (const [at, sign] of body.split('').entries()) {
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    else if (sign === ',' && depth === 0) {
      actions.push(body.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...actions, body.slice(from).trim()];
}

const action =
  (pattern: RegExp, unless?: RegExp) =>
  (statement: Statement): boolean =>
    actionsOf(statement).some((one) => pattern.test(one) && !unless?.test(one));

const whole =
  (pattern: RegExp, unless?: RegExp) =>
  ({ text }: Statement): boolean =>
    pattern.test(text) && !unless?.test(text);

const NEXT_RELEASE =
  'Stop using it in this release, and drop it in a later one, when no server of before is left.';

export const RULES: readonly Rule[] = [
  {
    name: 'drop',
    instead: NEXT_RELEASE,
    breaks: (statement) =>
      whole(/^drop (?:table|view|materialized view|function|procedure|type|schema)\b/)(statement) ||
      action(/^drop (?!constraint|not null|expression|identity)/)(statement),
  },
  {
    name: 'drop index',
    instead: `${NEXT_RELEASE} Then with drop index concurrently.`,
    breaks: whole(/^drop index\b/, /^drop index concurrently\b/),
  },
  {
    name: 'rename',
    instead: 'Add the new one, write both, copy the rows, and drop the old one in a later release.',
    breaks: (statement) =>
      action(/^rename\b/, /^rename constraint\b/)(statement) || action(/^set schema\b/)(statement),
  },
  {
    name: 'change type',
    instead: 'Add a column of the new type, write both, copy the rows, and switch over.',
    breaks: action(/^alter (?:column )?\S+ (?:set data )?type\b/),
  },
  {
    name: 'drop default',
    instead:
      'Servers of the version before rely on it when they insert: drop it in a later release.',
    breaks: action(/^alter (?:column )?\S+ drop default\b/),
  },
  {
    name: 'set not null',
    instead:
      'Add a check (... is not null) not valid, validate it in the next migration, then set not null.',
    breaks: action(/^alter (?:column )?\S+ set not null\b/),
  },
  {
    name: 'add column',
    instead:
      'Add it without a volatile default, key or reference, and with a default if it is not null; fill it in batches.',
    breaks: (statement) =>
      action(/^add (?!constraint|check|unique|primary|foreign|exclude)/)(statement) &&
      actionsOf(statement).some(
        (one) =>
          /^add (?!constraint)/.test(one) &&
          (VOLATILE.test(one) ||
            /\b(?:unique|primary key|references|stored|serial|bigserial|identity)\b/.test(one) ||
            (/\bnot null\b/.test(one) && !/\bdefault\b/.test(one))),
      ),
  },
  {
    name: 'add constraint',
    instead:
      'Add it not valid, and validate it in the next migration; a unique one using an index.',
    breaks: action(
      /^add (?:constraint \S+ )?(?:check|unique|primary key|foreign key|exclude)\b/,
      /\bnot valid$|\busing index\b/,
    ),
  },
  {
    name: 'create index',
    instead:
      'Use create index concurrently in a file of its own that says "outside a transaction".',
    breaks: (statement) =>
      statement.table !== undefined &&
      whole(/^create (?:unique )?index\b/, /^create (?:unique )?index concurrently\b/)(statement),
  },
  {
    name: 'change many rows',
    instead: 'Let servers do it in the background, in batches, or when they next write the row.',
    breaks: (statement) =>
      statement.table !== undefined &&
      whole(/^(?:update|delete from|insert into .* select)\b/)(statement),
  },
  {
    name: 'lock',
    instead: 'A migration waits for no lock that stops all reads and writes of a large table.',
    breaks: whole(/^(?:lock|truncate|cluster|vacuum|reindex|refresh materialized view)\b/),
  },
  {
    name: 'hidden statements',
    instead: 'Nobody can check what a do block or a function that is called changes.',
    breaks: whole(/^(?:do|call)\b/),
  },
];

const TABLE_OF =
  /^(?:alter table (?:if exists )?(?:only )?|create (?:unique )?index (?:concurrently )?(?:if not exists )?(?:(?!on )\S+ )?on (?:only )?|update (?:only )?|delete from (?:only )?|insert into )([\w.]+)/;
const CREATED = /^create (?:unlogged |temporary |temp )?table (?:if not exists )?([\w.]+)/;

/** Such as `-- allowed: create index: the table has a row a team`. The reason is for the reader. */
const ALLOWED = /^-- allowed: ([a-z ]+): (.{15,})$/gm;

export interface Finding {
  rule: string;
  statement: string;
  instead: string;
}

export interface Judged {
  findings: Finding[];
  /** Exceptions that excuse nothing: outdated, or of no rule. */
  idle: string[];
}

export function judgeMigration(sql: string): Judged {
  const texts = splitStatements(sql).map((text) =>
    text
      .replaceAll(/'(?:[^']|'')*'/g, "''")
      .replaceAll(/\s+/g, ' ')
      .toLowerCase(),
  );
  const created = new Set(texts.flatMap((text) => CREATED.exec(text)?.[1] ?? []));
  const allowed = new Set([...sql.matchAll(ALLOWED)].map(([, rule = '']) => rule));
  const broken = texts.flatMap((text) => {
    const [, table] = TABLE_OF.exec(text) ?? [];
    const statement = { text, table: table && created.has(table) ? undefined : table };
    return RULES.filter((rule) => rule.breaks(statement)).map(({ name, instead }) => ({
      rule: name,
      statement: text,
      instead,
    }));
  });
  const used = new Set(broken.map(({ rule }) => rule));
  return {
    findings: broken.filter(({ rule }) => !allowed.has(rule)),
    idle: [...allowed].filter((rule) => !used.has(rule)),
  };
}
