import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesUnder, fromRoot, withoutComments } from './tree.ts';

/** Folders that may touch the environment, and why. All others get values. */
const MAY_READ: Record<string, string> = {
  'src/config/': 'defines the settings',
  'src/cli/':
    'is where a shell starts us: it passes its environment to src/config and to child processes',
  'src/git/git.ts': 'git gets the environment of the person, who may have set it up by variables',
};

/** Our variables that are read by name outside of src/config, by commands alone, and why. */
const READ_BY_COMMANDS: Record<string, string> = {
  MILLRACE_API_KEY: 'one key among flags and files; the rest of its way is in cli/settings',
  MILLRACE_CONFIG_DIR: 'the folder of the files that cli/settings reads',
  MILLRACE_NO_INPUT: 'a flag of every command',
  MILLRACE_ON_ABORT: 'a setting of `millrace mcp`',
  MILLRACE_SOFT_DEADLINE_MS: 'a setting of `millrace mcp`',
  MILLRACE_DEFAULT_MODEL: 'a setting of the server that plans made without one use, too',
  MILLRACE_DEFAULT_PROVIDER: 'a setting of the server that plans made without one use, too',
  MILLRACE_PRICES_FILE: 'a setting of the server that plans made without one use, too',
};

function touchesEnvironment(source: string): boolean {
  const text = withoutComments(source);
  return (
    /\bprocess\s*(?:\?\.|\.)\s*env\b/.test(text) ||
    /\bprocess\s*\[\s*['"`]env['"`]/.test(text) ||
    /\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/.test(text) ||
    /\bimport\s*\{[^}]*\benv\b[^}]*\}\s*from\s*['"](?:node:)?process['"]/.test(text)
  );
}

/** `env['MILLRACE_X']`, `env.MILLRACE_X`, `const { MILLRACE_X: x } = env`. */
function variablesRead(source: string): string[] {
  const text = withoutComments(source);
  const single = text.matchAll(/\benv(?:\.|\s*\[\s*['"`])(MILLRACE_[A-Z_]+)/g);
  const several = text.matchAll(/\{([^{}]*)\}\s*=\s*(?:process\.)?env\b/g);
  return [
    ...[...single].map(([, name = '']) => name),
    ...[...several].flatMap(([, names = '']) => names.match(/\bMILLRACE_[A-Z_]+/g) ?? []),
  ];
}

function environmentProblems(file: string, source: string): string[] {
  const mayRead = Object.keys(MAY_READ).some((folder) => file.startsWith(folder));
  const touches = touchesEnvironment(source) && !mayRead;
  const unknown = file.startsWith('src/config/')
    ? []
    : variablesRead(source).filter((name) => !(mayRead && Object.hasOwn(READ_BY_COMMANDS, name)));
  return [
    ...(touches ? [`${file} reads process.env; pass the value in from src/config`] : []),
    ...unknown.map((name) => `${file} reads ${name}; settings are defined in src/config`),
  ];
}

const sources = filesUnder('src', '.ts', '.tsx', '.mjs', '.js').map((file) => ({
  file,
  source: readFileSync(fromRoot(file), 'utf8'),
}));

describe('the environment', () => {
  it('is read by src/config, and by commands where the tables above say why', () => {
    expect(sources.map(({ file }) => file)).toContain('src/config/settings.ts');
    expect(sources.flatMap(({ file, source }) => environmentProblems(file, source))).toEqual([]);
  });

  it('has no exception that nothing needs any more', () => {
    const read = sources
      .filter(({ file }) => file.startsWith('src/cli/'))
      .flatMap(({ source }) => variablesRead(source));
    expect(Object.keys(READ_BY_COMMANDS).filter((name) => !read.includes(name))).toEqual([]);
  });
});

describe('the check of the environment', () => {
  it.each([
    'process.env.HOME',
    "process.env['HOME']",
    "process['env'].HOME",
    'const { env, argv } = process;',
    "import { argv, env } from 'node:process';",
  ])('finds %s', (source) => {
    expect(environmentProblems('src/store/a.ts', source)).toHaveLength(1);
    expect(environmentProblems('src/cli/a.ts', source)).toEqual([]);
  });

  it.each(["env['MILLRACE_NEW']", 'env.MILLRACE_NEW', 'const { MILLRACE_NEW: own } = env;'])(
    'finds a setting that is defined elsewhere: %s',
    (source) => {
      expect(environmentProblems('src/tools/a.ts', source)).toHaveLength(1);
      expect(environmentProblems('src/cli/a.ts', source)).toHaveLength(1);
      expect(environmentProblems('src/config/a.ts', source)).toEqual([]);
    },
  );

  it('does not take a comment for a read', () => {
    expect(environmentProblems('src/store/a.ts', '// never process.env here')).toEqual([]);
  });
});
