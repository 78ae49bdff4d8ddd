// Manifests as people write them: every style of YAML that the editor has to live with.
import fc from 'fast-check';

export interface Line {
  text: string;
  /** The stream that it belongs to; undefined for the rest of the file. */
  stream?: string;
}

export interface Manuscript {
  text: string;
  lines: Line[];
  ids: string[];
  isBlock: boolean;
}

const IDS = ['api', 'db', 'web ui', '42', 'true', 'ünï', 'a.b', 'x-fix-1', '#odd', 'yes', 'null'];

const tail = fc.constantFrom('', '', '  # note', ' #\ttabs', '   ');
const status = fc.constantFrom(
  'pending',
  '"failed"',
  `'in_progress'`,
  'block\n      ed',
  '"two\n\n        lines \\n"',
  '|\n      one\n\n      two\n',
  '>-  # folded\n      one\n      two',
  '|+\n      kept\n\n',
  '',
  '~',
);
const deps = fc.constantFrom(
  '[]',
  '[api]',
  '[ api , db ]',
  '[\n      api, # why\n      db,\n      ]',
  '',
  '~',
  'block',
);
const plan = fc.constantFrom(
  'do it',
  '|\n      Do this.\n\n        And that.\n',
  '"a: b # c"',
  '>\n      x\n      y\n',
);

const field = fc.oneof(
  fc.tuple(fc.constantFrom('status', 'error', '"status"', `'error'`), status),
  fc.tuple(fc.constantFrom('deps', '"deps"'), deps),
  fc.tuple(fc.constantFrom('plan', 'name', 'z'), plan),
  fc.tuple(fc.constantFrom('attempts', 'timeoutMs'), fc.constantFrom('1', '0x10', '2.5')),
  fc.tuple(
    fc.constant('owns'),
    fc.constantFrom('[a.ts, {b: c}]', '\n    - a.ts\n    - "b"', '\n      - x'),
  ),
);

const plainName = (key: string) => key.replaceAll(/['"]/g, '');

function blockField([key, value]: [string, string], ending: string): string[] {
  if (value === 'block') return [`    ${key}:`, '      - api   # one', '      - "db"'];
  const isMultiline = value.includes('\n');
  const gap = value === '' || value.startsWith('\n') ? '' : ' ';
  return `    ${key}:${gap}${value}${isMultiline ? '' : ending}`.replace(/\n$/, '').split('\n');
}

const flowValue = (value: string) =>
  value.startsWith('|') || value.startsWith('>') || value.startsWith('\n') || value === 'block'
    ? '[q]'
    : value;

const stream = fc.record({
  fields: fc.uniqueArray(field, { maxLength: 5, selector: ([key]) => plainName(key) }),
  style: fc.constantFrom('block', 'block', 'block', 'flow', 'empty', 'null', 'braces'),
  comment: fc.boolean(),
  gap: fc.boolean(),
  ending: tail,
  quote: fc.constantFrom('"', "'"),
});

type Stream = typeof stream extends fc.Arbitrary<infer T> ? T : never;

function flowFields(fields: [string, string][]): string {
  return fields
    .map(([key, value]) => {
      const inFlow = flowValue(plainName(key) === 'deps' && value === 'block' ? '[db]' : value);
      const scalar =
        plainName(key) === 'status' || plainName(key) === 'error' || key === 'attempts';
      return `${key}: ${inFlow === '[q]' && scalar ? '"q"' : inFlow}`;
    })
    .join(', ');
}

function keyOf(id: string, { quote }: Stream): string {
  return /^[a-z][\w.-]*$/.test(id) && !/^(?:true|yes|null)$/.test(id) ? id : quote + id + quote;
}

function streamLines(id: string, given: Stream): string[] {
  const lines: string[] = [];
  const key = keyOf(id, given);
  if (given.comment) lines.push(`  # about ${id}`);
  if (given.style === 'empty' || (given.style === 'block' && given.fields.length === 0)) {
    lines.push(`  ${key}:${given.ending}`);
  } else if (given.style === 'null') lines.push(`  ${key}: ~${given.ending}`);
  else if (given.style === 'braces') lines.push(`  ${key}: {}${given.ending}`);
  else if (given.style === 'flow') {
    lines.push(...`  ${key}: {${flowFields(given.fields)}}${given.ending}`.split('\n'));
  } else {
    lines.push(`  ${key}:${given.ending}`);
    for (const each of given.fields) {
      if (given.comment) lines.push(`    # ${id}: ${plainName(each[0])}`);
      lines.push(...blockField(each, given.ending));
    }
  }
  if (given.gap) lines.push('', `\t# after ${id}`.trim());
  return lines;
}

export const anyManuscript: fc.Arbitrary<Manuscript> = fc
  .record({
    ids: fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 5 }),
    streams: fc.array(stream, { minLength: 5, maxLength: 5 }),
    isBlock: fc.oneof(
      { weight: 4, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
    status: fc.constantFrom('none', 'above', 'below'),
    isCrlf: fc.boolean(),
    hasMark: fc.boolean(),
    hasFinalBreak: fc.boolean(),
    start: fc.constantFrom('', '---', '# top'),
  })
  .map((given) => {
    const lines: Line[] = [];
    const add = (texts: string[], owner?: string) => {
      for (const text of texts)
        lines.push(owner === undefined ? { text } : { text, stream: owner });
    };
    if (given.start !== '') add([given.start]);
    add(['feature: "x"  # the name']);
    if (given.status === 'above') add(['status: old # state']);
    if (given.isBlock) {
      add(['streams: # all']);
      given.ids.forEach((id, i) => add(streamLines(id, given.streams[i]!), id));
    } else {
      const entries = given.ids.map((id, i) => {
        const { fields } = given.streams[i]!;
        return `"${id}": {${flowFields(fields)}}`;
      });
      add(`streams: {${entries.join(', ')}} # flow`.split('\n'));
    }
    if (given.status === 'below') add(['# below', `status: 'old'`]);
    const body = lines.map(({ text }) => text).join(given.isCrlf ? '\r\n' : '\n');
    const end = given.hasFinalBreak ? (given.isCrlf ? '\r\n' : '\n') : '';
    const text =
      (given.hasMark ? '\uFEFF' : '') +
      body.replaceAll(/\r?\n/g, given.isCrlf ? '\r\n' : '\n') +
      end;
    return { text, lines, ids: given.ids, isBlock: given.isBlock };
  });
