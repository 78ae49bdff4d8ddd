// How pg-boss reaches the database: by ours.
import type { Queryable, Statement } from '../postgres/db.ts';

// pg-boss sends the same few texts over and over; with a name each is parsed once a connection.
// Texts that vary (they hold a batch size) must not fill the server's memory: the first ones count.
const MAX_NAMED = 64;

export interface BossDb {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

export function createBossDbs(): (queryable: Queryable) => BossDb {
  const names = new Map<string, string>();

  function named(text: string): string | Statement {
    let name = names.get(text);
    if (name === undefined) {
      if (names.size >= MAX_NAMED) return text;
      name = `queue_${names.size}`;
      names.set(text, name);
    }
    return { name, text };
  }

  return (queryable) => ({
    async executeSql(text, values) {
      // Without parameters it may be several statements, which cannot be prepared.
      const statement = values === undefined || values.length === 0 ? text : named(text);
      const { rows } = await queryable.query<Record<string, unknown>>(statement, values);
      return { rows };
    },
  });
}

const BEGIN = 'begin;';
const COMMIT = 'commit;';

/** Without what the library puts around statements that belong together: a transaction, with limits of its own. */
function withoutTransaction(text: string): string {
  const whole = text.trim();
  const lower = whole.toLowerCase();
  if (!lower.startsWith(BEGIN) || !lower.endsWith(COMMIT)) return text;
  let rest = whole.slice(BEGIN.length, -COMMIT.length).trimStart();
  while (/^set local /i.test(rest)) rest = rest.slice(rest.indexOf(';') + 1).trimStart();
  return rest;
}

/**
 * For tables of the queue that are made in the transaction of the caller, and are gone when that is rolled
 * back. Its `commit` would end that transaction in the middle.
 */
export function insideTransaction(tx: Queryable): Queryable {
  return {
    query: (statement, values) =>
      tx.query(typeof statement === 'string' ? withoutTransaction(statement) : statement, values),
  };
}
