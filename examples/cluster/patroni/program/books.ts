// What the vendor says that it served, beside what the ledger says that was used.
//
// A call whose answer was sent whole is known to the token on both sides: its tokens are in the ledger exactly, and the
// answer is used, so that no job asks for it again. A call that broke off, because its worker stopped it or died, ends
// without the vendor's figures: the ledger has an estimate, marked as one. Both hold for each job by itself.
import type { Db } from '../../../../src/store/postgres/db.ts';
import type { VendorCall } from '../../../../test/support/vendor/call-log.ts';

export interface Tokens {
  calls: number;
  input: number;
  output: number;
}

export interface Books {
  vendor: { whole: Tokens; brokenOff: Tokens };
  ledger: { exact: Tokens; estimated: Tokens };
  /** Calls of jobs whose answer had been sent whole before, or was sent whole twice. */
  repeated: string[];
  /** Jobs of which the two say different things. */
  unequal: string[];
}

interface Job {
  vendor: { whole: Tokens; brokenOff: Tokens };
  ledger: { exact: Tokens; estimated: Tokens };
}

const none = (): Tokens => ({ calls: 0, input: 0, output: 0 });
const nothing = (): Job => ({
  vendor: { whole: none(), brokenOff: none() },
  ledger: { exact: none(), estimated: none() },
});

function add(to: Tokens, { calls, input, output }: Tokens): void {
  to.calls += calls;
  to.input += input;
  to.output += output;
}

/** Of a call that broke off, what was sent until then. */
function usedBy({ usage, finished, pieces }: VendorCall): Tokens {
  const input = usage?.input ?? 0;
  return { calls: 1, input, output: finished ? (usage?.output ?? 0) : pieces };
}

interface LedgerRow {
  key: string;
  input: number;
  output: number;
  estimated: boolean;
}

async function ledgerRows(db: Db, keys: readonly string[]): Promise<LedgerRow[]> {
  const { rows } = await db.query<LedgerRow>(
    `select j.stream_id as key, l.tokens_input as input, l.tokens_output as output, l.estimated
     from usage_ledger l join jobs j on j.id = l.job_id where j.stream_id = any($1)`,
    [keys],
  );
  return rows;
}

const isEqual = (one: Tokens, other: Tokens) =>
  one.input === other.input && one.output === other.output;

function differencesOf({ vendor, ledger }: Job): string[] {
  const both = JSON.stringify({ vendor, ledger });
  return [
    ...(isEqual(vendor.whole, ledger.exact) ? [] : [`not the vendor's tokens: ${both}`]),
    ...(vendor.brokenOff.calls === ledger.estimated.calls
      ? []
      : [`not an estimate for each call that broke off: ${both}`]),
  ];
}

export async function compareBooks(db: Db, calls: readonly VendorCall[]): Promise<Books> {
  const jobs = new Map<string, Job>();
  const jobOf = (key: string) => {
    const job = jobs.get(key) ?? nothing();
    jobs.set(key, job);
    return job;
  };
  for (const call of calls) {
    const { whole, brokenOff } = jobOf(call.id ?? '').vendor;
    add(call.finished ? whole : brokenOff, usedBy(call));
  }
  for (const { key, estimated, ...used } of await ledgerRows(db, [...jobs.keys()])) {
    const { ledger } = jobOf(key);
    add(estimated ? ledger.estimated : ledger.exact, { calls: 1, ...used });
  }
  const books: Books = { ...nothing(), repeated: [], unequal: [] };
  for (const [key, job] of jobs) {
    const { vendor, ledger } = job;
    add(books.vendor.whole, vendor.whole);
    add(books.vendor.brokenOff, vendor.brokenOff);
    add(books.ledger.exact, ledger.exact);
    add(books.ledger.estimated, ledger.estimated);
    books.unequal.push(...differencesOf(job).map((what) => `${key}: ${what}`));
  }
  const answeredAt = new Map<string, number>();
  for (const { id = '', finished, startedAt, endedAt = 0 } of calls) {
    const before = answeredAt.get(id);
    if (before !== undefined && (finished || startedAt > before)) books.repeated.push(id);
    if (finished) answeredAt.set(id, Math.min(before ?? Infinity, endedAt));
  }
  return books;
}

/** Whether everything held. */
export function reportBooks({ vendor, ledger, repeated, unequal }: Books): boolean {
  const line = (name: string, { calls, input, output }: Tokens) =>
    console.log(`  ${name.padEnd(21)} ${calls} calls, ${input} tokens in, ${output} out`);
  line('vendor, whole', vendor.whole);
  line('ledger, exact', ledger.exact);
  line('vendor, broken off', vendor.brokenOff);
  line('ledger, estimated', ledger.estimated);
  console.log(`  answers asked again   ${repeated.length}`);
  console.log(`  unequal jobs          ${unequal.length}`);
  for (const what of [...repeated, ...unequal].slice(0, 20)) console.log(`    ${what}`);
  return repeated.length === 0 && unequal.length === 0;
}
