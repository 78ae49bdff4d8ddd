// Checks a request against its schema, and stops looking once enough is wrong with it. Zod keeps every
// problem it finds: a body of a few megabytes could hold a million of them, which fill the memory of
// the process before the answer is even written. So the entries of lists and records are no longer
// looked at when the limit is reached.
import type { FastifySchemaCompiler } from 'fastify';
import { RequestValidationError } from 'fastify-zod-openapi';
import { z } from 'zod';
import { problemText } from './problem-text.ts';

/** So many problems are listed; a request with more than that repeats the same one. */
export const MAX_DETAILS = 100;
/** Entries of all lists together: with a million short ones the checks alone take a second. */
const MAX_ENTRIES = 250_000;
/** No route takes more, and Zod would copy a record before any check could refuse it. */
const MAX_RECORD_ENTRIES = 1000;

interface Budget {
  /** Problems that may still be listed. */
  left: number;
  /** Entries that may still be looked at. */
  entries: number;
  /** Set when an entry was not looked at: the request is refused, and there may be more to say. */
  isSpent: boolean;
}

const BUDGET = Symbol('budget of problems');

type Run = z.core.$ZodType['_zod']['run'];
type Payload = Parameters<Run>[0];
type Context = Parameters<Run>[1] & { [BUDGET]?: Budget };

/** Other users of the schema, who bring no budget, see no difference. */
function wrapRun(schema: z.core.$ZodType, wrap: (run: Run, budget: Budget) => Run): void {
  const { run } = schema._zod;
  schema._zod.run = (payload, context) => {
    const budget = (context as Context)[BUDGET];
    return budget === undefined ? run(payload, context) : wrap(run, budget)(payload, context);
  };
}

function limitEntries(entry: z.core.$ZodType): void {
  wrapRun(entry, (run, budget) => (payload, context) => {
    if (budget.left <= 0 || budget.entries-- <= 0) {
      budget.isSpent = true;
      return payload;
    }
    const before = budget.left;
    const result = run(payload, context);
    // Entries of an inner list have taken theirs already.
    const inner = before - budget.left;
    budget.left -= Math.max(0, (result as Payload).issues.length - inner);
    return result;
  });
}

function limitRecord(record: z.core.$ZodRecord): void {
  wrapRun(record, (run) => (payload, context) => {
    const { value } = payload;
    const isLarge =
      typeof value === 'object' && value !== null && Object.keys(value).length > MAX_RECORD_ENTRIES;
    if (!isLarge) return run(payload, context);
    const message = `must have at most ${MAX_RECORD_ENTRIES} entries`;
    payload.issues.push({ code: 'custom', message, input: undefined, inst: record });
    return payload;
  });
}

const limited = new WeakSet<z.core.$ZodType>();

/**
 * Not into unions: what one member refuses another may accept, so a problem found there does not say
 * that the request will be refused.
 */
function limitIn(schema: z.core.$ZodType): void {
  if (limited.has(schema)) return;
  limited.add(schema);
  if (schema instanceof z.core.$ZodObject) {
    for (const field of Object.values(schema._zod.def.shape)) limitIn(field);
  } else if (schema instanceof z.core.$ZodArray) {
    limitIn(schema._zod.def.element);
    limitEntries(schema._zod.def.element);
  } else if (schema instanceof z.core.$ZodRecord) {
    limitIn(schema._zod.def.valueType);
    for (const part of [schema._zod.def.keyType, schema._zod.def.valueType]) limitEntries(part);
    limitRecord(schema);
  } else if (schema instanceof z.core.$ZodPipe) {
    limitIn(schema._zod.def.in);
    limitIn(schema._zod.def.out);
  } else if (
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodNullable ||
    schema instanceof z.core.$ZodDefault ||
    schema instanceof z.core.$ZodPrefault
  ) {
    limitIn(schema._zod.def.innerType);
  }
}

/** What is wrong with a request, as the framework carries it to the error handler. */
export class InvalidRequest extends RequestValidationError {
  /** The list was cut: there are more problems than these. */
  readonly hasMore: boolean;

  constructor(error: z.ZodError, issue: z.core.$ZodIssue, hasMore: boolean) {
    super(issue.code, '', '', issue.message, { issue, error });
    this.hasMore = hasMore;
  }
}

const TOO_MANY_ENTRIES = new z.ZodError([
  { code: 'custom', path: [], message: 'has more than 250,000 list entries; send less at a time' },
]);

export const validatorCompiler: FastifySchemaCompiler<unknown> = ({ schema }) => {
  if (!(schema instanceof z.ZodType)) return (value) => ({ value });
  limitIn(schema);
  return (value) => {
    const budget: Budget = { left: MAX_DETAILS, entries: MAX_ENTRIES, isSpent: false };
    const context: z.core.ParseContext<z.core.$ZodIssue> & Pick<Context, typeof BUDGET> = {
      [BUDGET]: budget,
      error: problemText,
    };
    const result = schema.safeParse(value, context);
    if (result.success && !budget.isSpent) return { value: result.data };
    const error = result.error ?? TOO_MANY_ENTRIES;
    const hasMore = budget.left <= 0 && (budget.isSpent || error.issues.length > MAX_DETAILS);
    const shown = error.issues.slice(0, MAX_DETAILS);
    return { error: shown.map((issue) => new InvalidRequest(error, issue, hasMore)) as never };
  };
};
