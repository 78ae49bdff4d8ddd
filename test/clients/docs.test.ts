// The programs of docs/model-endpoint.md, as a reader would run them.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeBlocksOf } from '../docs/code-blocks.ts';
import { areInstalled } from './installed.ts';
import { useEndpoint } from './use-endpoint.ts';

const PAGE = fileURLToPath(new URL('../../docs/model-endpoint.md', import.meta.url));
const HERE = fileURLToPath(new URL('node_modules/', import.meta.url));
const blocks = codeBlocksOf('docs/model-endpoint.md', readFileSync(PAGE, 'utf8'));
const programs = blocks.filter(({ language }) => language === 'js');

const endpoint = useEndpoint();

describe.skipIf(!areInstalled)('the programs of the page', () => {
  let folder: string;
  beforeAll(() => {
    // Below the packages, which it finds there.
    folder = mkdtempSync(join(HERE, '.docs-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('are one for each SDK', () => {
    expect(programs.map(({ label }) => label)).toEqual(['Anthropic', 'OpenAI', 'Google', 'AI SDK']);
  });

  test.each(programs)('$label prints an answer', async ({ label, text }) => {
    const { url, credential } = endpoint();
    const file = join(folder, `${label.replace(' ', '-')}.mjs`);
    writeFileSync(file, text.replace('http://127.0.0.1:4747/model', url));
    const env = { PATH: process.env['PATH'] ?? '', MILLRACE_API_KEY: credential };
    const child = spawn(process.execPath, [file], { env });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part) => (said += part));
    }
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(said).toMatch(/^This answer is simulated by sim-fast/);
    expect(code).toBe(0);
  });
});
