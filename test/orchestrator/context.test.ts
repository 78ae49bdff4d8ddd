import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createContextCollector } from '../../src/orchestrator/context/collect.ts';
import type { ContextRequest } from '../../src/orchestrator/context/candidates.ts';
import { verifies } from '../support/verifies.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-context-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string | Buffer>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

async function collect(request: Partial<ContextRequest>) {
  const rest = { owns: [], reads: [], plan: '', depth: 'minimal' as const, tokenBudget: 50_000 };
  return createContextCollector({ root }).collect({ ...rest, ...request });
}
async function shown(request: Partial<ContextRequest>) {
  return (await collect(request)).files.map(({ path, role }) => `${role} ${path}`);
}

describe('what a stream is shown', () => {
  it('begins with the owned files as they are now, then what it reads and names', async () => {
    verifies('stream.owns.read-first');
    write({
      'src/a.ts': 'export const a = 1;\n',
      'src/lib/b.ts': 'b',
      'src/lib/c.ts': 'c',
      'docs/d.md': 'd',
      'e.ts': 'e',
    });
    const { files, listing, tokens } = await collect({
      owns: ['src/lib/', 'src/new.ts'],
      reads: ['docs/*.md', 'src/lib/b.ts'],
      plan: 'Change it as in `src/a.ts`, see (e.ts).',
    });
    expect(files.map(({ path, role }) => `${role} ${path}`)).toEqual([
      'owned src/lib/b.ts',
      'owned src/lib/c.ts',
      'read docs/d.md',
      'named src/a.ts',
      'named e.ts',
    ]);
    const sha256 = createHash('sha256').update('b').digest('hex');
    expect(files[0]).toMatchObject({ text: 'b', sha256, included: 'full' });
    const listed = Math.ceil((listing!.length + 1) / 3);
    expect(tokens).toBe(files.reduce((sum, file) => sum + file.tokens, listed));
  });

  it('leaves out what is ignored, secret, binary or outside, unless it was named in full', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'millrace-outside-'));
    try {
      writeFileSync(join(outside, 'secret.ts'), 'outside');
      write({
        '.gitignore': 'out/\n*.log\n',
        'pkg/.gitignore': '!keep.log\n',
        'pkg/keep.log': 'k',
        'pkg/a.ts': 'a',
        'pkg/b.log': 'l',
        'pkg/.env': 'KEY=1',
        'pkg/server.pem': 'p',
        'pkg/millrace.schema.json': '{}',
        'pkg/node_modules/x.ts': 'n',
        'pkg/.git/config': 'g',
        'pkg/image.bin': Buffer.from([1, 0, 2]),
        'pkg/latin.txt': Buffer.from([0xe9, 0x20]),
        'pkg/large.ts': 'x'.repeat(300_000),
        'out/o.ts': 'o',
      });
      symlinkSync(join(outside, 'secret.ts'), join(root, 'pkg/link.ts'));
      symlinkSync(outside, join(root, 'pkg/folder'));
      symlinkSync(join(root, 'pkg/.env'), join(root, 'pkg/harmless.txt'));
      const { files, omitted } = await collect({
        reads: ['pkg/**', 'out/', 'pkg/link.ts', 'pkg/harmless.txt', 'pkg/.git/config'],
      });
      expect(files.map(({ path }) => path)).toEqual(['pkg/.gitignore', 'pkg/a.ts', 'pkg/keep.log']);
      expect(Object.fromEntries(omitted.map(({ path, reason }) => [path, reason]))).toEqual({
        'pkg/image.bin': 'not text',
        'pkg/latin.txt': 'not text',
        'pkg/large.ts': 'larger than 256 KiB',
        'pkg/link.ts': 'a link that leads out of the project',
        'pkg/harmless.txt': 'a link to a file with secrets',
      });
      expect(await shown({ reads: ['pkg/.env', 'pkg/millrace.schema.json', 'out/o.ts'] })).toEqual([
        'read pkg/.env',
        'read pkg/millrace.schema.json',
        'read out/o.ts',
      ]);
      expect(
        await shown({ plan: 'Read pkg/.env and pkg/server.pem', reads: ['pkg/a.ts'] }),
      ).toEqual(['read pkg/a.ts']);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it('has about as many files as its depth says, and all that are owned', async () => {
    write(
      Object.fromEntries(
        Array.from({ length: 50 }, (_, at) => [`src/f${String(at).padStart(2, '0')}.ts`, `${at}`]),
      ),
    );
    expect(await shown({ reads: ['src/'] })).toHaveLength(10);
    expect(await shown({ reads: ['src/'], depth: 'moderate' })).toHaveLength(30);
    expect(await shown({ reads: ['src/'], depth: 'comprehensive' })).toHaveLength(50);
    expect(await shown({ owns: ['src/'] })).toHaveLength(50);
  });

  it('adds one step of imports and importers for a moderate depth', async () => {
    write({
      'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}',
      'src/own.ts': `import { a } from './a.js';\nexport * from '@/b';\nconst c = await import('./c.ts');\nimport type { T } from './types';\n`,
      'src/a.ts': `import './far.ts';\nexport const a = 1;`,
      'src/b/index.ts': 'export const b = 1;',
      'src/c.ts': 'export {};',
      'src/types.d.ts': 'export type T = 1;',
      'src/far.ts': '',
      'src/user.tsx': `import { x } from './own';\nexport const U = () => <b>{x}</b>;`,
      'src/old.cjs': `const own = require('./own.ts');`,
      'src/none.ts': `// import './own.ts'\nconst s = "require('./own.ts')";`,
    });
    expect(await shown({ owns: ['src/own.ts'], depth: 'moderate' })).toEqual([
      'owned src/own.ts',
      'import src/a.ts',
      'import src/b/index.ts',
      'import src/c.ts',
      'import src/types.d.ts',
      'importer src/old.cjs',
      'importer src/user.tsx',
    ]);
  });

  it.each([
    [
      'Python',
      {
        'app/own.py': 'from . import db\nfrom app.models.user import User\nimport util\n',
        'app/db.py': '',
        'app/models/user.py': '',
        'util.py': '',
      },
    ],
    [
      'Go',
      {
        'cmd/own.go': 'package main\nimport (\n\t"fmt"\n\t"example.com/shop/internal/db"\n)\n',
        'internal/db/db.go': 'package db',
        'go.mod': 'module example.com/shop',
      },
    ],
    [
      'Rust',
      {
        'src/own.rs': 'use crate::db::pool::Pool;\nuse super::util;\nmod inner;',
        'src/db/pool.rs': '',
        'src/util.rs': '',
        'src/own/inner.rs': '',
      },
    ],
    [
      'Java',
      {
        'own.java': 'import com.example.shop.Cart;\nimport java.util.List;',
        'core/src/main/java/com/example/shop/Cart.java': '',
      },
    ],
    [
      'C',
      {
        'src/own.c': '#include "db.h"\n#include <shop/cart.h>\n#include <stdio.h>',
        'src/db.h': '',
        'include/shop/cart.h': '',
      },
    ],
    [
      'SCSS',
      {
        'css/own.scss': "@use 'vars';\n@import url('base.css');",
        'css/_vars.scss': '',
        'css/base.css': '',
      },
    ],
    [
      'Ruby',
      {
        'lib/own.rb': "require_relative 'shop/cart'\nrequire 'shop/db'",
        'lib/shop/cart.rb': '',
        'lib/shop/db.rb': '',
      },
    ],
    [
      'PHP',
      {
        'own.php': "<?php\nuse App\\Models\\Cart;\nrequire __DIR__ . '/config.php';",
        'app/Models/Cart.php': '',
        'config.php': '',
      },
    ],
    [
      'Vue',
      {
        'own.vue': '<template/>\n<script setup lang="ts">\nimport { a } from \'./a\'\n</script>',
        'a.ts': '',
      },
    ],
  ])('finds the imports of %s', async (_name, files) => {
    write(files);
    const [own = '', ...others] = Object.keys(files).filter((path) => path !== 'go.mod');
    const all = await shown({ owns: [own], depth: 'moderate' });
    const found = all.filter((one) => one !== 'package go.mod');
    expect(found.slice(1).sort()).toEqual(others.map((path) => `import ${path}`).sort());
  });

  it('ranks the whole project by what is near, the same every time', async () => {
    write({
      'src/own.ts': `import './near.ts';`,
      'src/near.ts': `import './next.ts';`,
      'src/next.ts': '',
      'src/alone.ts': '',
      'other/alone.ts': '',
      'package-lock.json': '{}',
      '.env': 'A=1',
    });
    const order = await shown({ owns: ['src/own.ts'], depth: 'comprehensive' });
    expect(order).toEqual([
      'owned src/own.ts',
      'ranked src/near.ts',
      'ranked src/next.ts',
      'ranked src/alone.ts',
      'ranked other/alone.ts',
    ]);
    expect(await shown({ owns: ['src/own.ts'], depth: 'comprehensive' })).toEqual(order);
  });

  it('keeps within the room: owned files first, long ones as outline or beginning', async () => {
    const body = '  // words and words and words\n'.repeat(2000);
    write({
      'own.ts': 'export const own = 1;\n'.repeat(200),
      'long.ts': `export function start(a: number): string {\n${body}}\nexport class Stop {\n${body}}\n`,
      'long.md': 'a line of words\n'.repeat(5000),
    });
    const { files, tokens } = await collect({
      owns: ['own.ts'],
      reads: ['long.ts', 'long.md'],
      tokenBudget: 3000,
    });
    expect(files.map(({ path, included }) => [path, included])).toEqual([
      ['own.ts', 'full'],
      ['long.ts', 'outline'],
      ['long.md', 'head'],
    ]);
    expect(files[1]!.text).toBe(
      'export function start(a: number): string { ...\nexport class Stop { ...\n',
    );
    expect(files[2]!.text.endsWith('words\n')).toBe(true);
    expect(tokens).toBeLessThanOrEqual(3000);
    const none = await collect({ owns: ['own.ts'], reads: ['long.md'], tokenBudget: 40 });
    expect(none.tokens).toBeLessThanOrEqual(40);
    expect(none.omitted.map(({ reason }) => reason)).toEqual(['no room', 'no room']);
  });

  it('sees what has changed since it last looked', async () => {
    write({ 'own.ts': `import './a.ts';`, 'a.ts': '' });
    const collector = createContextCollector({ root });
    const request = {
      owns: ['own.ts'],
      reads: [],
      plan: '',
      depth: 'moderate' as const,
      tokenBudget: 9000,
    };
    const paths = async () => (await collector.collect(request)).files.map(({ path }) => path);
    expect(await paths()).toEqual(['own.ts', 'a.ts']);
    write({ 'own.ts': `import './b.ts';`, 'b.ts': '' });
    utimesSync(join(root, 'own.ts'), 1, 1);
    expect(await paths()).toEqual(['own.ts', 'b.ts']);
  });
});
