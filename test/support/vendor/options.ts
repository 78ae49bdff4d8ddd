// Everything an answer can be told, as data: the reader of sentinels, its error messages and the
// check of scripted rules all use this table.

export const STOPS = ['stop', 'length', 'refusal', 'content-filter', 'blocked'] as const;
export const USAGES = ['normal', 'missing', 'negative', 'huge', 'text', 'fraction'] as const;
export const STREAM_ERRORS = ['overloaded', 'api-error', 'rate-limit'] as const;

export type Stop = (typeof STOPS)[number];
export type UsageKind = (typeof USAGES)[number];
export type StreamError = (typeof STREAM_ERRORS)[number];

export interface Options {
  text?: string;
  chunks?: number;
  thinking?: number;
  pace?: number;
  headersDelay?: number;
  firstDelay?: number;
  ping?: number;
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWriteHour?: number;
  cost?: number;
  usage?: UsageKind;
  stop?: Stop;
  unknown?: number;
  after?: number;
  error?: StreamError;
  retryAfter?: number;
  limit?: number;
  size?: number;
  status?: number;
  to?: string;
  message?: string;
  echoKey?: boolean;
  times?: number;
  tier?: string;
  onlyTier?: string;
  on?: string;
  id?: string;
}

interface OptionRow {
  option: keyof Options;
  type: 'number' | 'text' | 'flag' | readonly string[];
  meaning: string;
}

export const OPTIONS: ReadonlyMap<string, OptionRow> = new Map(
  rows([
    ['text', 'text', 'the answer, instead of the text made from the prompt'],
    ['chunks', 'number', 'pieces of text, each counted as one token (8)'],
    ['thinking', 'number', 'pieces of reasoning before the text (0)'],
    ['pace', 'number', 'milliseconds between two pieces (0)'],
    ['headers-delay', 'number', 'milliseconds before the status line (0)'],
    ['first-delay', 'number', 'milliseconds between the headers and the first event (0)'],
    ['ping', 'number', 'milliseconds between signs of life during first-delay (none)'],
    ['input', 'number', 'input tokens, cache included (a quarter of the characters)'],
    ['output', 'number', 'output tokens, reasoning included (one per piece)'],
    ['cache-read', 'number', 'input tokens read from the cache (0)'],
    ['cache-write', 'number', 'input tokens written to the cache (0)'],
    ['cache-write-hour', 'number', 'of these, tokens that are kept for an hour (0)'],
    ['cost', 'number', 'the cost in dollars that OpenRouter reports (from the tokens)'],
    ['usage', USAGES, 'how the usage is reported'],
    ['stop', STOPS, 'why the answer ends; blocked refuses the prompt before any text'],
    ['unknown', 'number', 'events of a type that no client knows, after the first piece (0)'],
    ['after', 'number', 'pieces of text before the fault strikes (2)'],
    ['error', STREAM_ERRORS, 'the kind of an error inside the stream'],
    ['retry-after', 'number', 'the wait that a 429, 503 or 529 asks for, in seconds (1)'],
    ['limit', 'number', 'calls that a key may have open at a time (1)'],
    ['size', 'number', 'bytes of text in the huge line (10 MB)'],
    ['status', 'number', 'the status of a redirect (302)'],
    ['to', 'text', 'where a redirect leads (a path of this server)'],
    ['message', 'text', 'the text of an error, instead of the one the vendor would use'],
    ['echo-key', 'flag', 'puts the key that the client sent into the text of the error'],
    ['times', 'number', 'how many calls of this prompt the fault strikes (all)'],
    ['tier', 'text', 'the tier that the answer reports, none for no report (the one asked for)'],
    ['only-tier', 'text', 'the tier of the calls that the sentinel is for (all)'],
    ['on', 'text', 'the vendor that the sentinel is for (all)'],
    ['id', 'text', 'a name for the calls of this prompt: found again in the record of calls'],
  ]),
);

function rows(
  table: readonly [string, OptionRow['type'], string][],
): (readonly [string, OptionRow])[] {
  return table.map(([name, type, meaning]) => [name, { option: camel(name), type, meaning }]);
}

function camel(name: string): keyof Options {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as keyof Options;
}

/** Sets one option, or says what is wrong with it. */
export function setOption(options: Options, name: string, value: unknown): string | undefined {
  const row = OPTIONS.get(name);
  if (!row) return `unknown option "${name}"; known: ${[...OPTIONS.keys()].join(', ')}`;
  const read = readValue(row, value);
  if (read === undefined) return `${name}=${String(value)} is not ${expected(row)}`;
  Object.assign(options, { [row.option]: read });
  return undefined;
}

function readValue(row: OptionRow, value: unknown): unknown {
  const text = String(value);
  if (row.type === 'text') return text;
  if (row.type === 'flag') return { true: true, 1: true, false: false, 0: false }[text];
  if (row.type !== 'number') return row.type.includes(text) ? text : undefined;
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : undefined;
}

function expected(row: OptionRow): string {
  if (row.type === 'number') return 'a number';
  if (row.type === 'flag') return '1 or 0';
  return `one of ${String(row.type)}`;
}
