import { describe, expect, it } from 'vitest';
import { classifyFailure } from '../../src/domain/run/failure-class.ts';
import { verifies } from '../support/verifies.ts';

function result(output: string, more: { exitCode?: number | null; timedOut?: boolean } = {}) {
  return { command: 'check', exitCode: 1, timedOut: false, critical: true, output, ...more };
}

function classOf(output: string, more: { exitCode?: number | null; timedOut?: boolean } = {}) {
  return classifyFailure({ kind: 'verify', results: [result(output, more)] }).class;
}

const MISSING: Record<string, string> = {
  'a shell without the program': 'sh: 1: vitest: not found\n',
  'bash without the program': 'bash: line 1: cargo: command not found\n',
  'a program that Node cannot start': `node:events:497
      throw er; // Unhandled 'error' event
      ^

Error: spawn tsx ENOENT
    at ChildProcess._handle.onexit (node:internal/child_process:285:19)
`,
  'npm without a package.json': `npm error code ENOENT
npm error syscall open
npm error path /project/package.json
npm error errno -2
npm error enoent Could not read package.json: Error: ENOENT: no such file or directory
`,
  'a package that Node (CommonJS) cannot find': `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module 'lodash'
Require stack:
- /project/src/a.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
`,
  'a package that Node (modules) cannot find': `node:internal/modules/esm/resolve:873
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'lodash' imported from /project/src/a.mjs
    at packageResolve (node:internal/modules/esm/resolve:873:9)
`,
  'a package that tsc cannot find':
    "src/a.ts(1,20): error TS2307: Cannot find module 'lodash' or its corresponding type declarations.\n",
  'a package that vitest cannot find, with colours': `\u001B[41m FAIL \u001B[49m test/a.test.ts
\u001B[31mError: Cannot find package 'lodash' imported from '/project/src/a.ts'\u001B[39m

 Test Files  1 failed (1)
      Tests  no tests
`,
  'a package that jest cannot find': `FAIL src/a.test.ts
  ● Test suite failed to run

    Cannot find module 'lodash' from 'src/a.ts'
`,
  'a module that pytest cannot find': `ImportError while importing test module '/project/test_a.py'.
test_a.py:1: in <module>
    import requests
E   ModuleNotFoundError: No module named 'requests'
=========================== short test summary info ============================
ERROR test_a.py
`,
  'a package that go cannot find':
    'main.go:4:2: no required module provides package github.com/google/uuid; to add it:\n\tgo get github.com/google/uuid\n',
  'a crate that cargo cannot find': `error[E0432]: unresolved import \`serde\`
 --> src/main.rs:1:5
  |
1 | use serde::Serialize;
  |     ^^^^^ use of unresolved module or unlinked crate \`serde\`
`,
};

const SYNTAX: Record<string, string> = {
  tsc: "src/a.ts(3,11): error TS1109: Expression expected.\nsrc/a.ts(4,1): error TS2304: Cannot find name 'x'.\n",
  'tsc for people': "src/a.ts:3:11 - error TS1005: ';' expected.\n\n3 const x = ;\n",
  'Node (CommonJS)': `/project/a.js:1
const x = ;
          ^

SyntaxError: Unexpected token ';'
    at wrapSafe (node:internal/modules/cjs/loader:1378:20)
`,
  'Node (modules)': `file:///project/a.mjs:2
const = 1;
      ^

SyntaxError: Unexpected token '='
    at compileSourceTextModule (node:internal/modules/esm/utils:338:16)
`,
  python: `  File "/project/a.py", line 3
    x = = 3
        ^
SyntaxError: invalid syntax
`,
  'python with a wrong indent': `  File "/project/a.py", line 2
    return 1
    ^
IndentationError: expected an indented block after function definition on line 1
`,
  pytest: `test_a.py:1: in <module>
    from a import x
E     File "/project/a.py", line 3
E       x = = 3
E           ^
E   SyntaxError: invalid syntax
`,
  eslint:
    '/project/src/a.js\n  3:11  error  Parsing error: Unexpected token ;\n\n✖ 1 problem (1 error, 0 warnings)\n',
  go: '# example.com/a\n./main.go:5:2: syntax error: unexpected newline, expected comma or )\n',
  cargo:
    'error: expected expression, found `;`\n --> src/main.rs:2:13\n  |\n2 |     let x = ;\n  |             ^ expected expression\n',
  'esbuild below vitest': `Error: Transform failed with 1 error:
/project/src/a.ts:3:10: ERROR: Unexpected ";"

 Test Files  1 failed (1)
`,
};

const MENDABLE: Record<string, string> = {
  'types that do not fit':
    "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n",
  'an import of a file that is not there':
    "src/a.ts(1,20): error TS2307: Cannot find module './missing.ts' or its corresponding type declarations.\n",
  'a file that Node cannot find':
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/project/src/b.mjs' imported from /project/src/a.mjs\n",
  'an export that is not there': `file:///project/a.mjs:1
import { x } from './b.mjs';
         ^
SyntaxError: The requested module './b.mjs' does not provide an export named 'x'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:180:21)
`,
  'a failing test of vitest about syntax': ` FAIL  test/parse.test.ts > parser > says what is wrong
AssertionError: expected 'SyntaxError: bad token' to be 'SyntaxError: unexpected token'

- Expected
+ Received

- SyntaxError: unexpected token
+ SyntaxError: bad token
 Test Files  1 failed (1)
      Tests  1 failed (1)
`,
  'a failing test that read bad JSON': ` FAIL  test/a.test.ts > reads
SyntaxError: Unexpected token '}', "{}}" is not valid JSON
 ❯ src/a.ts:3:10
 Test Files  1 failed (1)
      Tests  1 failed | 3 passed (4)
`,
  'a failing test that missed a file': ` FAIL  test/a.test.ts > reads
Error: ENOENT: no such file or directory, open 'data.json'
 Test Files  1 failed (1)
      Tests  1 failed (1)
`,
  'node:test': `✖ adds (1.2ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  3 !== 4

ℹ tests 1
ℹ fail 1
`,
  pytest: `    def test_add():
>       assert add(1, 2) == 4
E       assert 3 == 4
=========================== short test summary info ============================
FAILED test_a.py::test_add - assert 3 == 4
`,
  go: '--- FAIL: TestAdd (0.00s)\n    a_test.go:8: got 3, want 4\nFAIL\nFAIL\texample.com/a\t0.002s\n',
  cargo:
    "thread 'tests::adds' panicked at src/lib.rs:9:9:\nassertion `left == right` failed\n\ntest result: FAILED. 0 passed; 1 failed\n",
  eslint:
    "/project/src/a.js\n  1:7  error  'x' is assigned a value but never used  no-unused-vars\n",
  'words about a missing command': 'expected output to contain "command not found"\n',
  'a message that a program printed about its input':
    'reading config\nSyntaxError: unknown word in line 3\nexpected exit code 0\n',
  'nothing at all': '',
};

describe('the class of a failed command', () => {
  it.each(Object.entries(MISSING))('is a missing dependency for %s', (_name, output) => {
    verifies('stream.fix.retryable');
    expect(classOf(output)).toBe('missing-dependency');
  });
  it.each(Object.entries(SYNTAX))('is a syntax error for %s', (_name, output) => {
    verifies('stream.fix.retryable');
    expect(classOf(output)).toBe('syntax');
  });
  it.each(Object.entries(MENDABLE))('is one that a fix may mend for %s', (_name, output) => {
    expect(classOf(output)).toBe('verification');
  });

  it.each([126, 127])('is a missing dependency for the exit code %i', (exitCode) => {
    expect(classOf('', { exitCode })).toBe('missing-dependency');
  });

  it('is a time-out when it was cut off', () => {
    expect(classOf('still running', { exitCode: null, timedOut: true })).toBe('timeout');
  });

  it('is decided by the failure that no fix can mend, and looks at critical ones only', () => {
    const tests = result(MENDABLE.pytest!);
    const missing = result('sh: 1: mypy: not found\n', { exitCode: 127 });
    const of = (results: (typeof tests)[]) => classifyFailure({ kind: 'verify', results });
    expect(of([tests, missing])).toMatchObject({ class: 'missing-dependency', mayFix: false });
    expect(of([tests, { ...missing, critical: false }])).toMatchObject({
      class: 'verification',
      mayFix: true,
    });
  });

  it('is final for a setup, whatever went wrong', () => {
    const failure = classifyFailure({ kind: 'setup', results: [result('no network')] });
    expect(failure).toMatchObject({ class: 'setup', retryable: false, mayFix: false });
    expect(failure.error).toBe('Setup: `check` exited with 1\nno network');
  });

  it('is told in two short lines', () => {
    const { error } = classifyFailure({
      kind: 'verify',
      results: [result(`x\nerror: ${'y'.repeat(5000)}\nz`)],
    });
    expect(error.split('\n')).toHaveLength(2);
    expect(error.length).toBeLessThan(400);
  });

  it('is found quickly in a large output', () => {
    const outputs = [
      '\n'.repeat(1_000_000),
      ' '.repeat(1_000_000),
      'a\r'.repeat(500_000),
      '\u001B]'.repeat(500_000),
    ];
    for (const output of outputs) expect(classOf(output)).toBe('verification');
  });
});

describe('the class of another failure', () => {
  it.each([
    ['UNAUTHORIZED', 401, 'refused'],
    ['VALIDATION_ERROR', 400, 'refused'],
    ['QUOTA_EXCEEDED', 402, 'refused'],
    ['PROVIDER_CONTEXT_LENGTH', undefined, 'refused'],
    ['RATE_LIMITED', 429, 'infrastructure'],
    ['SERVICE_UNAVAILABLE', 503, 'infrastructure'],
    ['UNREACHABLE', undefined, 'infrastructure'],
    ['PROVIDER_OVERLOADED', undefined, 'infrastructure'],
    ['TIMEOUT', undefined, 'timeout'],
  ])('is for a call that ended with %s %s: %s', (code, status, name) => {
    const failure = classifyFailure({ kind: 'call', code, status, error: 'why' });
    // Waiting may help with the infrastructure; another prompt does not.
    const retryable = name !== 'refused';
    expect(failure).toEqual({ class: name, retryable, mayFix: name === 'timeout', error: 'why' });
  });

  it('is one to mend for edits that found no place, and for useless answers', () => {
    const of = (codes: string[]) => classifyFailure({ kind: 'artifact', codes, error: 'why' });
    for (const code of ['NO_MATCH', 'AMBIGUOUS', 'STALE']) {
      expect(of([code])).toMatchObject({ class: 'edit', mayFix: true });
    }
    expect(of(['OUTSIDE_OWNS'])).toMatchObject({ class: 'answer', mayFix: true });
    expect(classifyFailure({ kind: 'answer', error: 'why' })).toMatchObject({ mayFix: true });
    expect(classifyFailure({ kind: 'timeout', error: 'why' })).toMatchObject({ class: 'timeout' });
  });

  it('is final for an answer that was cut off, and says whether a larger cap would help', () => {
    const of = (outputTokens: number) =>
      classifyFailure({ kind: 'cut_off', cut: { maxTokens: 4096, outputTokens } });
    expect(of(4096)).toEqual({
      class: 'cut-off',
      retryable: false,
      mayFix: false,
      error:
        'The answer was cut off at 4096 tokens (maxTokens): raise maxTokens of this stream, or split it.',
    });
    expect(of(4090).error).toBe(of(4096).error);
    expect(of(1200)).toMatchObject({
      class: 'cut-off',
      mayFix: false,
      error: expect.stringMatching(
        /cut off at 1200 tokens, before its maxTokens of 4096: the model/,
      ),
    });
  });
});

describe('what is broken in a file that the attempt wrote', () => {
  const of = (output: string, written: string[]) =>
    classifyFailure({ kind: 'verify', results: [result(output)], written });

  it.each([
    ['src/a.ts', "src/a.ts(3,5): error TS1005: ';' expected.\n"],
    [
      'src/a.js',
      "Error: Cannot find module 'lodash'\nRequire stack:\n- /p/src/a.js\n- /p/main.js\n",
    ],
    [
      'src/a.mjs',
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad' imported from /p/src/a.mjs\n",
    ],
    [
      'app/m.py',
      'Traceback (most recent call last):\n  File "/p/app/m.py", line 1, in <module>\n    import nope\nModuleNotFoundError: No module named \'nope\'\n',
    ],
    ['a.py', '  File "/p/a.py", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax\n'],
  ])('can be fixed by the model: %s', (path, output) => {
    expect(of(output, [path])).toMatchObject({ mayFix: true, class: 'verification' });
    expect(of(output, ['src/other.ts'])).toMatchObject({ mayFix: false, retryable: false });
  });

  it('is not a program that is missing on the machine', () => {
    const output = 'src/a.ts: ok\nsh: 1: vitest: not found\n';
    expect(of(output, ['src/a.ts'])).toMatchObject({ class: 'missing-dependency', mayFix: false });
  });

  it('is not what a file that it imports lacks', () => {
    const output =
      "Error: Cannot find module 'lodash'\nRequire stack:\n- /p/src/old.js\n- /p/src/a.js\n";
    expect(of(output, ['src/a.js'])).toMatchObject({ mayFix: false });
  });
});
