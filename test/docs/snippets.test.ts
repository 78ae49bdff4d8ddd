// What the documents show is tried: code compiles as a user's would, commands and flags exist,
// manifests and settings are valid.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { readCredentials, readUserFile } from '../../src/cli/settings/settings-files.ts';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { filesUnder, fromRoot } from '../pins/tree.ts';
import { QUICK_COMPILER } from '../support/quick-compiler.ts';
import { codeBlocksOf } from './code-blocks.ts';
import type { CodeBlock } from './code-blocks.ts';
import { shellCommands } from './shell-commands.ts';

const documents = [
  ...readdirSync(fromRoot('.')).filter((name) => name.endsWith('.md')),
  ...filesUnder('docs', '.md'),
  ...filesUnder('examples', '.md'),
];
const blocks = documents.flatMap((file) =>
  codeBlocksOf(file, readFileSync(fromRoot(file), 'utf8')),
);
const inLanguage = (...languages: string[]) =>
  blocks.filter(({ language }) => languages.includes(language));

const folder = mkdtempSync(join(tmpdir(), 'millrace-docs-'));
afterEach(() => vi.restoreAllMocks());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENTRIES = {
  millrace: fromRoot('src/index.ts'),
  'millrace/client': fromRoot('src/client/index.ts'),
  'millrace/manifest': fromRoot('src/manifest/index.ts'),
};

it('every code block is in a language that is checked here, or says that it is text', () => {
  // JavaScript is for clients of vendors, which `test/clients` has.
  const known = new Set(['ts', 'js', 'sh', 'json', 'yaml', 'toml', 'ini', 'text', '']);
  expect(blocks.filter(({ language }) => !known.has(language))).toEqual([]);
  expect(blocks.length).toBeGreaterThan(20);
});

describe('TypeScript', () => {
  it('compiles as a file of its own, strictly, with the types of the package', () => {
    const names = new Map(
      inLanguage('ts').map(({ place, text }, index) => {
        const name = `snippet-${index}.ts`;
        writeFileSync(join(folder, name), `${text}\nexport {};\n`);
        return [name, place];
      }),
    );
    expect(names.size).toBeGreaterThan(3);
    const config = {
      compilerOptions: {
        target: 'es2024',
        lib: ['es2024', 'esnext.disposable'],
        module: 'nodenext',
        strict: true,
        // Our own sources need it; a user has declarations instead.
        exactOptionalPropertyTypes: true,
        noEmit: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
        types: ['node'],
        typeRoots: [fromRoot('node_modules/@types')],
        paths: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, [file]])),
      },
      files: [...names.keys()],
    };
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    expect(compile()).toEqual([]);

    function compile(): string[] {
      try {
        const { call, env } = QUICK_COMPILER;
        const args = [...call, '-p', folder, '--pretty', 'false'];
        execFileSync(process.execPath, args, { cwd: folder, env });
        return [];
      } catch (error) {
        const output = String((error as { stdout: Buffer }).stdout);
        return output
          .trim()
          .split('\n')
          .map((line) => line.replace(/^snippet-\d+\.ts/, (name) => names.get(name) ?? name));
      }
    }
  });

  it('the receiver of webhooks takes a signed body and refuses any other', async () => {
    const [block] = inLanguage('ts').filter(({ text }) => text.includes('verifyWebhook'));
    const client = pathToFileURL(ENTRIES['millrace/client']).href;
    const file = join(folder, 'receiver.ts');
    writeFileSync(file, block!.text.replace("'millrace/client'", `'${client}'`));
    const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
    process.env['WEBHOOK_SECRET'] = secret;
    const { receive } = (await import(pathToFileURL(file).href)) as {
      receive(request: Request): Promise<Response>;
    };
    const body = JSON.stringify({ event: 'execution.completed', timestamp: '', data: {} });
    const at = new Date();
    const headers = {
      'webhook-id': 'del_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('del_1', at, body),
    };
    const post = (text: string) =>
      receive(new Request('https://example.com/hooks', { method: 'POST', headers, body: text }));
    vi.spyOn(console, 'log').mockImplementation(() => {});
    expect((await post(body)).status).toBe(204);
    expect((await post(`${body} `)).status).toBe(400);
  });
});

describe('shell', () => {
  const COMMANDS: Record<string, (words: string[]) => void | Promise<void>> = {
    millrace: parseCall,
    './millrace': parseCall,
    curl: checkBody,
    npm: ([script]) => expect(packageScripts()).toContain(script),
    npx: ([tool]) => expect(existsSync(fromRoot(`node_modules/.bin/${tool}`))).toBe(true),
    cp: ([, from]) => expect(existsSync(fromRoot(from!))).toBe(true),
    git: ([word]) =>
      expect(execFileSync('git', ['--list-cmds=main'], { encoding: 'utf8' }).split('\n')).toContain(
        word,
      ),
    cd: () => {},
    export: () => {},
    // Not ours, so what it takes is not known here.
    aider: () => {},
  };

  /** The command line's own parser, without doing what it says. */
  async function parseCall(words: string[]): Promise<void> {
    const program = await createProgram(() => async () => {});
    const quiet = { writeErr: () => {}, outputError: () => {} };
    for (const command of [program, ...program.commands]) command.configureOutput(quiet);
    await program.parseAsync(words, { from: 'user' });
  }

  function checkBody(words: string[]): void {
    const body = words[words.findIndex((word) => word === '-d') + 1];
    if (words.includes('-d')) expect(() => JSON.parse(body!) as unknown).not.toThrow();
  }

  function packageScripts(): string[] {
    const text = readFileSync(fromRoot('package.json'), 'utf8');
    const { scripts } = JSON.parse(text) as { scripts: Record<string, string> };
    return ['ci', 'install', 'pack', 'test', 'run', ...Object.keys(scripts)];
  }

  it('uses commands, flags and arguments that exist', async () => {
    const wrong: string[] = [];
    let count = 0;
    for (const { place, text } of inLanguage('sh')) {
      for (const [name = '', ...words] of shellCommands(text)) {
        count += 1;
        try {
          await COMMANDS[name]!(words);
        } catch (error) {
          wrong.push(`${place}: ${[name, ...words].join(' ')}: ${(error as Error).message}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(30);
    for (const bad of ['rnu', 'run --nonsense', 'run a.yaml b.yaml', 'run --apply maybe']) {
      await expect(parseCall(bad.split(' ')), bad).rejects.toThrow();
    }
  });

  it('finds the commands of a script', () => {
    const script = `A=1 ./millrace run "a b" --x='c d' \\\n  -y < in.txt # note\ncd /tmp && ls | wc`;
    expect(shellCommands(script)).toEqual([
      ['./millrace', 'run', 'a b', '--x=c d', '-y'],
      ['cd', '/tmp'],
      ['ls'],
      ['wc'],
    ]);
  });
});

describe('data', () => {
  /** A settings file says in its first line where it belongs. */
  const checkYaml = ({ place, text }: CodeBlock): string[] => {
    if (text.startsWith('# ~/.config/millrace/config.yaml')) {
      const env = { XDG_CONFIG_HOME: folder };
      execFileSync('mkdir', ['-p', join(folder, 'millrace')]);
      writeFileSync(join(folder, 'millrace/config.yaml'), text, { mode: 0o600 });
      return readUserFile(env) === undefined ? [`${place}: not read`] : [];
    }
    const { kind, problems } = parseManifest(text, { file: place });
    const messages = problems.map(({ message }) => `${place}: ${message}`);
    return kind === 'manifest' ? messages : [`${place}: not a manifest`, ...messages];
  };

  it('YAML is a valid manifest or a valid settings file', () => {
    expect(inLanguage('yaml').flatMap(checkYaml)).toEqual([]);
    expect(inLanguage('yaml').length).toBeGreaterThan(1);
  });

  it('JSON is JSON, and credentials are read', () => {
    for (const { place, text } of inLanguage('json')) {
      expect(() => JSON.parse(text) as unknown, place).not.toThrow();
      if (!text.includes('"apiKey"')) continue;
      execFileSync('mkdir', ['-p', join(folder, 'millrace')]);
      writeFileSync(join(folder, 'millrace/credentials.json'), text, { mode: 0o600 });
      expect(readCredentials({ XDG_CONFIG_HOME: folder })).toBeDefined();
    }
  });
});
