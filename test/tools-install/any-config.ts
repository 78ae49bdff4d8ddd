// Config files as people write them: comments, odd spacing, any order, any line break.
import fc from 'fast-check';

const name = fc.constantFrom<string[]>(
  'a',
  'github',
  'mill',
  'millrace2',
  'x-y',
  'é',
  'env',
  '__proto',
);
const text = fc.oneof(
  fc.constantFrom(
    '',
    'npx',
    '// no comment',
    '# none',
    ']]',
    '}',
    ',',
    '"""',
    "'",
    '\\',
    '\t',
    'ä😀',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const lineBreaks = fc.constantFrom('\n', '\r\n');

// JSON

interface JsonStyle {
  comments: boolean;
  commas: boolean;
}

const blankIn = ({ comments }: JsonStyle, lineBreak: string) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom('', ' ', lineBreak, `${lineBreak}  `, `${lineBreak}\t`),
    },
    ...(comments
      ? [
          fc.constantFrom(
            `// }, "millrace": {${lineBreak}`,
            '/* , */',
            ` /* a${lineBreak}b */ `,
            ` // c${lineBreak}${lineBreak}`,
          ),
        ]
      : []),
  );

const listIn = (
  [open, close]: [string, string],
  items: fc.Arbitrary<string>[],
  style: JsonStyle,
  lineBreak: string,
) => {
  const blank = blankIn(style, lineBreak);
  const trailing = style.commas && items.length > 0 ? fc.constantFrom('', ',') : fc.constant('');
  return fc
    .tuple(fc.tuple(...items.map((item) => fc.tuple(blank, item, blank))), trailing, blank)
    .map(
      ([all, comma, end]) => open + all.map((one) => one.join('')).join(',') + comma + end + close,
    );
};

const objectOf = (
  pairs: [string, fc.Arbitrary<string>][],
  style: JsonStyle,
  lineBreak: string,
): fc.Arbitrary<string> => {
  const blank = blankIn(style, lineBreak);
  const items = pairs.map(([key, value]) =>
    fc.tuple(blank, blank, value).map(([a, b, one]) => `${JSON.stringify(key)}${a}:${b}${one}`),
  );
  return listIn(['{', '}'], items, style, lineBreak);
};

const someNames = fc.uniqueArray(name, { maxLength: 3 });

function jsonValue(style: JsonStyle, lineBreak: string, depth: number): fc.Arbitrary<string> {
  const scalar = fc.oneof(
    text.map((one) => JSON.stringify(one)),
    fc.constantFrom('null', 'true', '0', '-1.5e3'),
  );
  if (depth === 0) return scalar;
  const below = jsonValue(style, lineBreak, depth - 1);
  return fc.oneof(
    scalar,
    someNames.chain((names) =>
      objectOf(
        names.map((one) => [one, below]),
        style,
        lineBreak,
      ),
    ),
    fc.integer({ min: 0, max: 2 }).chain((count) =>
      listIn(
        ['[', ']'],
        Array.from({ length: count }, () => below),
        style,
        lineBreak,
      ),
    ),
  );
}

/** With `mcpServers` or without, with `millrace` in it or without. */
export const anyJsonConfig: fc.Arbitrary<string> = fc
  .tuple(
    fc.record({ comments: fc.boolean(), commas: fc.boolean() }),
    lineBreaks,
    fc.shuffledSubarray(['mcpServers', 'inputs', 'a'], { minLength: 0 }),
    fc.tuple(someNames, fc.boolean(), fc.nat(3)),
    fc.constantFrom('', '\ufeff'),
  )
  .chain(([style, lineBreak, keys, [names, hasEntry, place], mark]) => {
    const value = jsonValue(style, lineBreak, 2);
    const servers = hasEntry ? names.toSpliced(place, 0, 'millrace') : names;
    const pairs = keys.map((key): [string, fc.Arbitrary<string>] => [
      key,
      key === 'mcpServers'
        ? objectOf(
            servers.map((one) => [one, value]),
            style,
            lineBreak,
          )
        : value,
    ]);
    const blank = blankIn(style, lineBreak);
    return fc
      .tuple(blank, objectOf(pairs, style, lineBreak), blank)
      .map(([before, root, after]) => mark + before + root + after);
  });

// TOML

const tomlKey = (one: string) => (/^[A-Za-z0-9_-]+$/.test(one) ? one : JSON.stringify(one));
const tomlText = text.map((one) => JSON.stringify(one).replaceAll('\u007f', '\\u007f'));
const tomlScalar = (lineBreak: string) =>
  fc.oneof(
    tomlText,
    fc.constantFrom('1', '-2.5', 'true', '1979-05-27T07:32:00Z', '07:32:00', 'inf', "'[x]'"),
    fc.constantFrom(
      `"""${lineBreak}[mcp_servers.millrace]${lineBreak}command = 1${lineBreak}"""`,
      `'''a # b${lineBreak}[z]'''`,
      `[ # list${lineBreak} 1,${lineBreak} 2 ]`,
      '{ a = 1, "b c" = [2] }',
    ),
  );

const pairLines = (names: readonly string[], lineBreak: string) =>
  fc.tuple(
    ...names.map((one) =>
      fc
        .tuple(
          tomlScalar(lineBreak),
          fc.constantFrom('', ' # note', '  '),
          fc.constantFrom('', '\t'),
        )
        .map(([value, after, before]) => `${before}${tomlKey(one)} = ${value}${after}`),
    ),
  );

const between = fc.array(fc.constantFrom('', '# [mcp_servers.millrace]', '  # x'), {
  maxLength: 2,
});

const tableIn = (path: readonly string[], lineBreak: string) =>
  fc.tuple(someNames, fc.constantFrom('', ' # table'), between).chain(([names, after, lines]) =>
    pairLines(
      names.filter((one) => !['env', 'a', 'github', 'millrace2'].includes(one)),
      lineBreak,
    ).map((pairs) => [`[${path.map(tomlKey).join('.')}]${after}`, ...pairs, ...lines]),
  );

const ENTRY = ['mcp_servers', 'millrace'];
const TABLES = [
  ['mcp_servers'],
  [...ENTRY],
  [...ENTRY, 'env'],
  [...ENTRY, 'a', 'b'],
  ['mcp_servers', 'github'],
  ['mcp_servers', 'millrace2'],
  ['projects', '/tmp/a b'],
  ['tui'],
];

/** Lines that say the same as a table does, with others behind them. */
const dotted = fc.constantFrom<string[][]>(
  [],
  ['mcp_servers.millrace.command = "old" # dotted', 'z = 1'],
  ['mcp_servers . "millrace" . args = [', '  "a", # one', ']', 'z = 1'],
  ['mcp_servers.other.command = "x"'],
  ['[mcp_servers]', 'millrace = { command = "old" } # braces', 'zed = { command = "z" }'],
);

export const anyTomlConfig: fc.Arbitrary<string> = fc
  .tuple(
    lineBreaks,
    fc.shuffledSubarray(TABLES),
    dotted,
    fc.tuple(between, fc.boolean()),
    fc.constantFrom('', '\ufeff'),
  )
  .chain(([lineBreak, tables, pairs, [first, isEnded], mark]) => {
    // What is written with dots or braces cannot be a table as well.
    const allowed = tables.filter(
      ([container, server]) =>
        pairs.length === 0 || container !== 'mcp_servers' || server === 'github',
    );
    return fc
      .tuple(
        pairLines(['model', 'é'], lineBreak),
        fc.tuple(...allowed.map((path) => tableIn(path, lineBreak))),
      )
      .map(([top, below]) => {
        const lines = [...first, ...top, ...pairs, ...below.flat()];
        return mark + lines.join(lineBreak) + (isEnded ? lineBreak : '');
      });
  });
