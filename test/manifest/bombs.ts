// Small texts made to cost much. None is larger than 300 KB.

const KB_300 = 300_000;
const STREAM = 'feature: bomb\nstreams:\n  a:\n    name: A\n';

function fill(make: (at: number) => string, start = ''): string {
  let text = start;
  for (let at = 0; text.length < KB_300; at++) text += make(at);
  return text.slice(0, KB_300);
}

export function manyStreams(fields: (at: number) => string): string {
  let text = 'feature: bomb\nstreams:\n';
  for (let at = 0; text.length < KB_300 - 700; at++)
    text += `  s${at}:\n    name: n\n${fields(at)}`;
  return text;
}

function laughs(): string {
  let text = 'x-0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n';
  for (let level = 1; level < 30; level++) {
    const below = Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ');
    text += `x-${level}: &a${level} [${below}]\n`;
  }
  return text + STREAM;
}

const STARS = '*a'.repeat(60);

export const BOMBS: Record<string, string> = {
  'a billion laughs': laughs(),
  'a tower of ?': '? '.repeat(100_000),
  'a tower of ? on lines': Array.from({ length: 700 }, (_, at) => ' '.repeat(at) + '?').join('\n'),
  'a tower of -': '- '.repeat(100_000),
  'a tower of [': '['.repeat(100_000),
  'a tower of {': '{'.repeat(100_000),
  'a tower of { and :': '{a: '.repeat(50_000),
  'a tower of [ and :': '[a]: '.repeat(50_000),
  'a tower of anchors': '&a '.repeat(100_000),
  'anchors on lines': fill((at) => `${' '.repeat(at % 60)}&a${at}\n`),
  'tags on lines': fill((at) => `${' '.repeat(at % 60)}!t\n`),
  'anchors before flow keys': fill((at) => `&a${at}\n&b${at} [x]: y\n`),
  'one long scalar': `${STREAM}    plan: ${'x'.repeat(KB_300)}\n`,
  'one long scalar of escapes': `${STREAM}    plan: "${'\\n'.repeat(KB_300 / 2)}"\n`,
  'one long quoted scalar that does not end': `${STREAM}    plan: "${'x '.repeat(KB_300 / 2)}`,
  'one long number': `${STREAM}    timeoutMs: ${'9'.repeat(KB_300)}\n`,
  'one long key': `${'k'.repeat(KB_300)}: 1\n`,
  'one long stream id': `feature: x\nstreams:\n  ${'k'.repeat(KB_300)}: {name: a}\n`,
  'one long comment': `# ${'#'.repeat(KB_300)}\n${STREAM}`,
  'blank lines': `${STREAM}${'\n'.repeat(KB_300)}`,
  'blank lines within a folded text': `${STREAM}    plan: >\n      a\n${' \n'.repeat(KB_300 / 2)}`,
  'keys at the top': fill((at) => `k${at}: 1\n`),
  'keys of a stream': fill((at) => `    k${at}: 1\n`, STREAM),
  'the same key again and again': fill(() => 'feature: x\n'),
  'the same stream again and again': fill(() => '  a: {name: A}\n', STREAM),
  functions: `${STREAM}    plan: !!js/function 'function () { return 1 }'\n`,
  tags: fill(() => '      - !foo x\n', `${STREAM}    deps:\n`),
  stars: manyStreams((at) => `    owns: ['${STARS}b${at}']\n    reads: ['${STARS}c']\n`),
  'double stars': manyStreams(
    (at) => `    owns: ['${'**/a/'.repeat(40)}${at}']\n    reads: ['${'**/a/'.repeat(40)}*']\n`,
  ),
  braces: manyStreams(
    (at) => `    owns: ['${'{a,b}'.repeat(10)}${at}']\n    reads: ['${'{b,c}'.repeat(10)}']\n`,
  ),
  'too many braces': manyStreams(() => `    owns: ['${'{a,b}'.repeat(45)}']\n`),
  'one brace of many': manyStreams((at) => `    owns: ['{${'a,'.repeat(115)}${at}}']\n`),
  'everybody reads everything': manyStreams(
    (at) => `    owns: [src/${at}.ts]\n    reads: ['**']\n`,
  ),
  'everybody owns everything': manyStreams(() => `    owns: ['**']\n    reads: ['**']\n`),
  aliases: fill(() => '      - *a\n', `x-a: &a [b]\n${STREAM}    deps:\n`),
  'aliases of a large list': `${fill((at) => `- f${at}\n`, 'x-a: &a\n').slice(0, 250_000)}\n${STREAM}    reads: *a\n${Array.from({ length: 900 }, (_, at) => `  s${at}: {name: n, reads: *a}\n`).join('')}`,
  'merges of a large mapping': `${fill((at) => `  k${at}: 1\n`, 'x-a: &a\n')
    .slice(0, 250_000)
    .replace(
      /\n.*$/,
      '\n',
    )}${STREAM}${Array.from({ length: 900 }, (_, at) => `  s${at}: {<<: *a, name: n}\n`).join('')}`,
  'an alias within itself': `feature: x\nstreams: &a\n  a: *a\n`,
  'unknown dependencies': manyStreams((at) => `    deps: [${'u'.repeat(100)}${at}]\n`),
  'a circle of all': Array.from(
    { length: 7_000 },
    (_, at) => `  s${at}: {name: n, deps: [s${(at + 1) % 7_000}]}\n`,
  ).reduce((text, line) => text + line, 'feature: x\nstreams:\n'),
  'everybody waits for everybody': (() => {
    const ids = Array.from({ length: 220 }, (_, at) => `s${at}`);
    return `feature: x\nstreams:\n${ids.map((id) => `  ${id}: {name: n, deps: [${ids.join(', ')}]}\n`).join('')}`;
  })(),
  'pairs of streams in circles': manyStreams(
    (at) => `    deps: [s${at % 2 === 0 ? at + 1 : at - 1}]\n`,
  ),
  'circles of a thousand': manyStreams(
    (at) =>
      `    deps: [s${at - (at % 900) + ((at + 1) % 900)}, s${at - (at % 900) + ((at + 1) % 900)}]\n`,
  ),
  'a long chain read from its end': manyStreams(
    (at) => `    deps: [s${at - 1}]\n    owns: [f${at}.ts]\n    reads: [f${at + 1}.ts, f0.ts]\n`,
  ),
  'half characters': fill(() => '\ud800: "\udc00"\n'),
  directives: fill(() => '%FOO bar\n'),
  documents: fill(() => '--- a\n'),
};
