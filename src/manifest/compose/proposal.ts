// What a model proposes, read from whatever it answered. Nothing here is believed: the rules repair the
// streams. Only what no rule could make sense of is a problem, in words that can be sent back to the model.

export interface ProposedStream {
  id?: string;
  name: string;
  plan: string;
  owns: string[];
  reads: string[];
  deps: string[];
  setup: string[];
  verify: string[];
}

export interface Proposal {
  feature: string;
  streams: ProposedStream[];
}

export type ReadProposal =
  | { kind: 'proposal'; proposal: Proposal }
  | { kind: 'invalid'; problems: string[] };

/** More streams than people can follow. Leaving some out would lose work without a word. */
export const MAX_STREAMS = 200;
/** Entries of one list, and of all lists together. */
const MAX_ENTRIES = 2_000;
const MAX_ALL_ENTRIES = 10_000;
const MAX_TEXT_BYTES = 8 * 1024 * 1024;
/** Longer ones are refused: a plan without its end looks complete. */
const MAX_PLAN = 100_000;
const MAX_NAME = 120;
/** A path that is too long is refused with its beginning shown; more of it is never needed. */
const MAX_ENTRY = 1_000;

// All but tabs and line breaks: no manifest holds them.
const UNPRINTABLE = /(?![\t\n])[\p{Cc}\u2028\u2029\uFEFF\uFFFE\uFFFF]/gu;

function cleaned(value: string, most: number): string {
  const text = value.length > most ? value.slice(0, most) : value;
  return text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(UNPRINTABLE, ' ');
}

/** As it is written, also at its ends: nothing but what no manifest can hold is changed. */
function planOf(value: unknown): string {
  const text = cleaned(textOf(value), MAX_PLAN);
  return text.trim() === '' ? '' : text;
}

/** A text on one line. */
export function oneLine(value: string, most: number): string {
  return cleaned(value.slice(0, most * 4), most * 4)
    .replaceAll(/\s+/g, ' ')
    .slice(0, most)
    .toWellFormed()
    .trim();
}

/** A field of its own: an inherited one was never in the answer. */
function field(value: object, name: string): unknown {
  if (value instanceof Map) return value.get(name);
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Numbers are texts, too: streams are often numbered. */
function isText(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function textOf(value: unknown): string {
  return isText(value) ? String(value) : '';
}

/** A single text counts as a list of one: models often leave the brackets out. */
function listOf(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const texts = items.filter(isText).map(String);
  return texts.slice(0, MAX_ENTRIES + 1).map((text) => text.slice(0, MAX_ENTRY).toWellFormed());
}

/** As workflows have them: `{command, critical}`. Read so that they can be named when they are dropped. */
function commandsOf(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return listOf(items.map((item) => (isObject(item) ? field(item, 'command') : item)));
}

function readStream(given: object, key: string | undefined): ProposedStream {
  const id = textOf(field(given, 'id')) || key;
  return {
    ...(id !== undefined && { id: id.slice(0, MAX_ENTRY) }),
    name: oneLine(textOf(field(given, 'name')), MAX_NAME),
    plan: planOf(field(given, 'plan')),
    owns: listOf(field(given, 'owns')),
    reads: listOf(field(given, 'reads')),
    deps: listOf(field(given, 'deps')),
    setup: listOf(field(given, 'setup')),
    verify: [...listOf(field(given, 'verify')), ...commandsOf(field(given, 'commands'))],
  };
}

/** As a list, or as a manifest has them: by their ids. */
function streamsOf(given: unknown): { key?: string; stream: unknown }[] | undefined {
  if (Array.isArray(given)) return given.map((stream: unknown) => ({ stream }));
  if (!isObject(given)) return undefined;
  const entries: [string, unknown][] = given instanceof Map ? [...given] : Object.entries(given);
  return entries.map(([key, stream]) => ({ key, stream }));
}

function problemsOf(streams: readonly ProposedStream[]): string[] {
  const problems: string[] = [];
  let all = 0;
  for (const [at, { owns, reads, deps }] of streams.entries()) {
    const longest = Math.max(owns.length, reads.length, deps.length);
    all += owns.length + reads.length + deps.length;
    if (longest > MAX_ENTRIES) {
      problems.push(
        `Stream ${at + 1} lists more than ${MAX_ENTRIES} entries; name folders instead.`,
      );
    }
  }
  if (all > MAX_ALL_ENTRIES) {
    problems.push(`The streams list more than ${MAX_ALL_ENTRIES} entries; name folders instead.`);
  }
  return problems.slice(0, 20);
}

const invalid = (...problems: string[]): ReadProposal => ({ kind: 'invalid', problems });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, or nested deeper than the parser follows.
    return undefined;
  }
}

/** From an object, from mappings that keep the order of their keys, or from JSON text. Reads a fixed number of levels, however deep the value is. */
export function readProposal(given: unknown): ReadProposal {
  if (typeof given === 'string' && given.length > MAX_TEXT_BYTES) {
    return invalid(`The answer is longer than ${MAX_TEXT_BYTES} characters.`);
  }
  const value = typeof given === 'string' ? parsed(given) : given;
  if (!isObject(value)) return invalid('The answer must be a JSON object with `streams`.');
  const entries = streamsOf(field(value, 'streams'));
  if (entries === undefined) return invalid('`streams` is missing; give a list of streams.');
  if (entries.length > MAX_STREAMS) {
    return invalid(`${entries.length} streams are proposed; at most ${MAX_STREAMS} are possible.`);
  }
  const streams = entries.flatMap(({ key, stream }) =>
    isObject(stream) ? [readStream(stream, key)] : [],
  );
  if (streams.length === 0) return invalid('`streams` is empty; propose at least one stream.');
  const long = entries.findIndex(
    ({ stream }) => isObject(stream) && textOf(field(stream, 'plan')).length > MAX_PLAN,
  );
  if (long >= 0) {
    return invalid(
      `The plan of stream ${long + 1} is longer than ${MAX_PLAN} characters; say less, or cut the stream in two.`,
    );
  }
  const problems = problemsOf(streams);
  if (problems.length > 0) return invalid(...problems);
  const feature = oneLine(textOf(field(value, 'feature')), MAX_NAME);
  return { kind: 'proposal', proposal: { feature, streams } };
}
