// The client as a package of its own: what is in it is all that it needs, and its types are those of the
// sources, although the schemas that they come from are not in it.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUICK_COMPILER } from '../support/quick-compiler.ts';
import { useServer } from '../support/use-server.ts';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** Not at once: the server that it may call is in this process. */
const node = (args: readonly string[], cwd: string) =>
  promisify(execFile)(process.execPath, [...args], { cwd, env: QUICK_COMPILER.env });

/** Every type that the entry of the client exports. */
function exportedTypes(): string[] {
  const entry = readFileSync(fromRoot('src/client/index.ts'), 'utf8');
  return [...entry.matchAll(/export type \{([^}]*)\}/g)].flatMap(([, names = '']) =>
    names.split(',').flatMap((name) => name.trim() || []),
  );
}

describe('the package of the client', () => {
  const server = useServer();
  let consumer: string;

  beforeAll(async () => {
    consumer = mkdtempSync(join(tmpdir(), 'millrace-client-'));
    const to = join(consumer, 'node_modules', 'millrace-client');
    mkdirSync(to, { recursive: true });
    await node([fromRoot('scripts/client-package/build.ts'), to], fromRoot('.'));
    writeFileSync(join(consumer, 'package.json'), '{"type":"module"}');
  });

  afterAll(() => rmSync(consumer, { recursive: true, force: true }));

  it('has the types of the sources, with nothing else installed', async () => {
    const names = exportedTypes();
    expect(names.length).toBeGreaterThan(30);
    const same = names.map(
      (name) => `both<Packed.${name}, Source.${name}>(); both<Source.${name}, Packed.${name}>();`,
    );
    const source = JSON.stringify(fromRoot('src/client/index.ts'));
    const text = [
      `import type * as Packed from 'millrace-client';`,
      `import type * as Source from ${source};`,
      `declare function both<A extends B, B>(): A;`,
      ...same,
    ].join('\n');
    writeFileSync(join(consumer, 'same.ts'), text);
    writeFileSync(
      join(consumer, 'alone.ts'),
      `import * as client from 'millrace-client';\nexport const names: string[] = Object.keys(client);\n`,
    );
    const options = { strict: true, module: 'nodenext', target: 'es2024', noEmit: true, types: [] };
    const alone = { ...options, lib: ['es2024', 'dom', 'dom.iterable'] };
    writeFileSync(
      join(consumer, 'alone.json'),
      JSON.stringify({ compilerOptions: alone, files: ['alone.ts'] }),
    );
    const beside = {
      ...options,
      lib: ['es2024', 'esnext.disposable'],
      types: ['node'],
      typeRoots: [fromRoot('node_modules/@types')],
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    };
    writeFileSync(
      join(consumer, 'same.json'),
      JSON.stringify({ compilerOptions: beside, files: ['same.ts'] }),
    );
    for (const project of ['alone.json', 'same.json']) {
      const { stdout } = await node(
        [...QUICK_COMPILER.call, '-p', project, '--pretty', 'false'],
        consumer,
      ).catch((error: { stdout: string }) => error);
      expect(stdout).toBe('');
    }
  });

  it('runs its own example against a server', async () => {
    const { key } = await server().createKey();
    const readme = readFileSync(join(consumer, 'node_modules/millrace-client/README.md'), 'utf8');
    const [, example = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];
    const text = example
      .replace('https://millrace.example.com', server().url)
      .replace('mill_sk_...', key);
    writeFileSync(join(consumer, 'example.mjs'), text);
    expect((await node(['example.mjs'], consumer)).stdout).toContain('simulated');
  });
});
