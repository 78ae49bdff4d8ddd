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
export const MAX_NAME = 120;
/** A path that is too long is refused with its beginning shown; more of it is never needed. */
const MAX_ENTRY = 1_000;

// All but tabs and line breaks: no manifest holds them.
const UNPRINTABLE = /(?![\t\n])[\p{Cc}\u2028\u2029\uFEFF\uFFFE\uFFFF]/gu;

function cleaned(value: string, most: number): string {
  const text = value.length > most ? value.slice(0, most) : value;
  return text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(UNPRINTABLE, ' ');
}

/** As it is written, also at its ends: nothing but what no manifest can hold is changed. */
function planOf(text: string): string {
  const plan = cleaned(text, MAX_PLAN);
  return plan.trim() === '' ? '' : plan;
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

function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** A single text counts as a list of one, or of what its commas and lines separate: models often leave the brackets out. */
function listOf(value: unknown): string[] {
  const isOneText = typeof value === 'string' && !value.includes('{');
  const items = isOneText
    ? value.split(/\n|,[ \t]/).filter((part) => part.trim() !== '')
    : itemsOf(value);
  const texts = items.filter(isText).map(String);
  return texts.slice(0, MAX_ENTRIES + 1).map((text) => text.slice(0, MAX_ENTRY).toWellFormed());
}

/** As workflows have them: `{command, critical}`. Read so that they can be named when they are dropped. */
function commandsOf(value: unknown): string[] {
  const commands = itemsOf(value).map((item) => (isObject(item) ? field(item, 'command') : item));
  return commands.flatMap((command) => (isText(command) ? listOf([command]) : []));
}

/** Where a field is missing, what models write for it. */
const OTHER_NAMES = {
  name: ['title'],
  owns: ['files'],
  deps: ['depends_on', 'dependsOn', 'dependencies'],
  plan: ['description', 'instructions', 'prompt', 'task'],
};

function meantBy(given: object, name: keyof typeof OTHER_NAMES): unknown {
  const names = [name, ...OTHER_NAMES[name]];
  return names.map((each) => field(given, each)).find((value) => value !== undefined);
}

/** Of a list of steps, each on a line. */
const linesOf = (value: unknown) => itemsOf(value).filter(isText).join('\n');

function readStream(given: object, key: string | undefined): ProposedStream {
  const id = textOf(field(given, 'id')) || key;
  const name = textOf(meantBy(given, 'name'));
  const short = oneLine(name, MAX_NAME);
  // What no name has room for says what to do where nothing else does.
  const plan = linesOf(meantBy(given, 'plan')) || (name.trim().length > MAX_NAME ? name : '');
  return {
    ...(id !== undefined && { id: id.slice(0, MAX_ENTRY) }),
    name: short,
    plan: planOf(plan),
    owns: listOf(meantBy(given, 'owns')),
    reads: listOf(field(given, 'reads')),
    deps: listOf(meantBy(given, 'deps')),
    setup: listOf([field(given, 'setup')].flat()),
    verify: [...listOf([field(given, 'verify')].flat()), ...commandsOf(field(given, 'commands'))],
  };
}

/** Empty lists and objects say nothing; whatever else is no text would be lost without a word. */
function isUnreadable(item: unknown): boolean {
  if (isText(item) || item === null || item === undefined) return false;
  if (item instanceof Map) return item.size > 0;
  return typeof item !== 'object' || Object.keys(item).length > 0;
}

/** What is wrong with one stream as it was given. */
function problemOfStream(given: unknown, at: number): string | undefined {
  if (!isObject(given)) return `Stream ${at} is no object with \`id\`, \`owns\` and \`plan\`.`;
  const plan = meantBy(given, 'plan');
  if (itemsOf(plan).some(isUnreadable)) return `\`plan\` of stream ${at} is no text.`;
  if (linesOf(plan).length > MAX_PLAN) {
    return `The plan of stream ${at} is longer than ${MAX_PLAN} characters; say less, or cut the stream in two.`;
  }
  const lists = {
    owns: meantBy(given, 'owns'),
    reads: field(given, 'reads'),
    deps: meantBy(given, 'deps'),
  };
  const broken = Object.entries(lists).find(([, list]) => itemsOf(list).some(isUnreadable));
  return (
    broken && `\`${broken[0]}\` of stream ${at} has an entry that is no text; list plain texts.`
  );
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
  const filled = entries.filter(({ key, stream }) => key !== undefined || stream !== null);
  const streams = filled.flatMap(({ key, stream }) =>
    isObject(stream) ? [readStream(stream, key)] : [],
  );
  if (streams.length === 0) return invalid('`streams` is empty; propose at least one stream.');
  const broken = filled.flatMap(({ stream }, at) => problemOfStream(stream, at + 1) ?? []);
  if (broken.length > 0) return invalid(...broken.slice(0, 20));
  const problems = problemsOf(streams);
  if (problems.length > 0) return invalid(...problems);
  const feature = oneLine(textOf(field(value, 'feature')), MAX_NAME);
  return { kind: 'proposal', proposal: { feature, streams } };
}
