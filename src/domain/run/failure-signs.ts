// Signs in the output of a command that trying again cannot help. The same words turn up in
// harmless places (a test about syntax errors, a difference between two strings), so a sign is always
// a whole line of the shape in which its tool prints it.

import { isInFiles } from './sign-location.ts';

export interface Sign {
  class: 'missing-dependency' | 'syntax';
  line: RegExp;
  /** A sign only when one of the four lines before it is of this shape. */
  after?: RegExp;
  /** A sign only when one of the four lines behind it is of this shape. */
  before?: RegExp;
  /** Not a sign in the report of a test run: there it is the failure of a test. */
  outsideTests?: true;
  /** It is about a file of the project, which may be one that the model has just written. */
  isInFile?: true;
}

// The prefix of pytest, and of a test that is reported as a comment.
const LEAD = String.raw`^\s*(?:E\s+|#\s+|>\s+)?(?:Uncaught )?`;
// Names of packages: not a path, not an alias of one (@/..., ~/..., #...), not the project's sources.
const PACKAGE = String.raw`(?!\.|\/|~|#|@\/|src\/|[A-Za-z]:[\\/]|file:)[^'"\`\s]+`;
const CARET = /^\s*(?:E\s+)?(?:\|\s*)?\^[\^~]*\s*$/;

function missing(source: string, more: Partial<Sign> = {}): Sign {
  return { class: 'missing-dependency', line: new RegExp(source), ...more };
}

/** Something that a file imports is not installed. */
function missingImport(source: string): Sign {
  return missing(source, { isInFile: true });
}

function syntax(source: string, more: Partial<Sign> = {}): Sign {
  return { class: 'syntax', line: new RegExp(source), isInFile: true, ...more };
}

// TypeScript numbers its grammar 1xxx, and with it some wrong imports that are easily fixed.
const GRAMMAR = String.raw`TS1(?!192|259|28[67]|36[12]|371|48[45])\d{3}`;
const TSC = String.raw`^\S.*(?:\(\d+,\d+\):|:\d+:\d+ -) error `;

/** In order: the first that is found counts. */
export const SIGNS: readonly Sign[] = [
  // Shells, and what starts programs.
  missing(String.raw`^(?:\/\S*\/)?(?:ba|da|z|k)?sh: (?:line )?(?:\d+: )?.*\bnot found\b`),
  missing(String.raw`^zsh(?::\d+)?: command not found: `),
  missing(String.raw`^(?:\/usr\/bin\/)?env: .*No such file or directory$`),
  missing(String.raw`is not recognized as an internal or external command`),
  missing(`${LEAD}Error: spawn \\S+ ENOENT`),
  missing(String.raw`^The command could not be started: `),
  missing(String.raw`^npm (?:error|ERR!) (?:code ENOENT|enoent )`),
  missing(`${LEAD}Error: ENOENT: no such file or directory`, { outsideTests: true }),
  // Node, bundlers, test runners.
  missingImport(
    `${LEAD}(?:\\w*Error(?: \\[\\w+\\])?: )?Cannot find (?:module|package) ['"]${PACKAGE}['"](?:$| imported from | from |\\. )`,
  ),
  missingImport(`${LEAD}(?:\\w*Error: )?Failed to resolve import ['"]${PACKAGE}['"] from `),
  missingImport(`${LEAD}.*ERROR: Could not resolve ['"]${PACKAGE}['"]`),
  missingImport(`${TSC}TS2307: Cannot find module '${PACKAGE}'`),
  missing(`${TSC}(?:TS7016|TS2688|TS258[0-4]|TS259[123]): `),
  missing(String.raw`error TS2688: Cannot find type definition file for `),
  // Python, Go, Rust, Ruby, Java and Kotlin, C.
  missingImport(`${LEAD}ModuleNotFoundError: No module named `),
  missingImport(String.raw`no required module provides package `),
  missingImport(String.raw`^\S+:\d+:\d+: (?:package \S+ is not in std|cannot find package )`),
  missing(String.raw`missing go\.sum entry for `),
  missing(String.raw`^error(?:\[E\d+\])?: (?:can't find crate for|no matching package named) `),
  missingImport(String.raw`(?:maybe a missing crate|unlinked crate|undeclared crate or module) \``),
  missingImport(String.raw`cannot load such file -- (?![./])`),
  missing(String.raw`^(?:Bundler::GemNotFound|Could not find gem )`),
  missingImport(String.raw`^\S+\.java:\d+: error: package \S+ does not exist`),
  missing(String.raw`Could not resolve (?:dependencies for project|all files for configuration)`),
  missing(String.raw`^(?:\/\S+: )?(?:ld: )?cannot find -l\S+`),
  // Syntax: the compiler or the loader speaks, not a test.
  syntax(`(?:${TSC}|^error )${GRAMMAR}: `),
  syntax(
    `${LEAD}SyntaxError(?: \\[\\w+\\])?: (?!The requested module |.*(?:\\bJSON\\b|export named))`,
    { after: CARET },
  ),
  syntax(`${LEAD}SyntaxError(?: \\[\\w+\\])?: (?!The requested module |.*\\bJSON\\b)`, {
    before: /^\s+at (?:wrapSafe|compileSourceTextModule|ModuleLoader\.|new Script|internalCompile)/,
  }),
  syntax(`${LEAD}SyntaxError: \\S+: .*\\(\\d+:\\d+\\)\\s*$`),
  syntax(`${LEAD}(?:IndentationError|TabError): `, { after: /^\s*(?:E\s+)?File "/ }),
  syntax(String.raw`^\[error\] \S+: SyntaxError: `),
  syntax(String.raw`^\s*\d+:\d+\s+error\s+Parsing error: `),
  syntax(`${LEAD}(?:Rollup)?Error: (?:Parse failure|Parse error|Transform failed with \\d+ error)`),
  syntax(`${LEAD}.*\\[PARSE_ERROR\\]`),
  syntax(String.raw`^(?:PHP )?Parse error: +syntax error, `),
  syntax(String.raw`^\S+\.(?:go|rb|y|l):\d+(?::\d+)?: (?:syntax error)\b`),
  syntax(
    String.raw`^error: (?:expected |unexpected |this file contains an un|mismatched closing)`,
    {
      before: /^\s+--> \S+:\d+:\d+/,
    },
  ),
  syntax(String.raw`^\S+\.java:\d+: error: (?:.* expected$|illegal start of |reached end of file)`),
  syntax(String.raw`^\S+\.(?:c|cc|cpp|cxx|h|hpp):\d+:\d+: error: expected `),
  syntax(String.raw`^(?:\/\S*\/)?(?:ba|da|z)?sh: (?:\d+: |line \d+: |-c: )+.*[Ss]yntax error`),
];

/** Lines that only the report of a test run has. */
const TEST_REPORT = [
  /^[ \t]*(?:Test Files|Tests|Test Suites:|Tests:)[ \t]+(?:\S.*)?\b\d+ (?:failed|passed)/m,
  /^(?:#|ℹ) (?:tests|fail) \d+$/m,
  /^=+ (?:short test summary info|\d+ (?:failed|passed)).*=$/m,
  /^(?:--- FAIL: |FAIL\t|ok {2}\t)/m,
  /^test result: (?:FAILED|ok)\./m,
  /^[ \t]*\d+ (?:passing|failing)\b/m,
];

const NEAR = 4;
/** A longer line is data, not a message; and some shapes read a line again and again. */
const LONGEST = 2000;

function isNear(lines: readonly string[], from: number, to: number, shape: RegExp): boolean {
  return lines
    .slice(Math.max(0, from), to)
    .some((line) => line.length <= LONGEST && shape.test(line));
}

/** The first sign in the order of the table, and the line it was seen in. */
export function findSign(
  output: string,
  /** Files that the attempt wrote. */
  written: readonly string[] = [],
): { class: Sign['class']; line: string; isOwn: boolean } | undefined {
  const lines = output.split('\n');
  const hasTests = TEST_REPORT.some((shape) => shape.test(output));
  for (const sign of SIGNS) {
    if (sign.outsideTests && hasTests) continue;
    const at = lines.findIndex((line, index) => {
      if (line.length > LONGEST || !sign.line.test(line)) return false;
      if (sign.after && !isNear(lines, index - NEAR, index, sign.after)) return false;
      return !sign.before || isNear(lines, index + 1, index + 1 + NEAR, sign.before);
    });
    if (at < 0) continue;
    const isOwn = sign.isInFile === true && isInFiles(lines, at, written);
    return { class: sign.class, line: lines[at]!.trim(), isOwn };
  }
  return undefined;
}
