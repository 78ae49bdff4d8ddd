// Broken manifests, each with exactly the problems that are to be told about it. The golden files
// are written anew with UPDATE_GOLDEN=1, and read by eye before they are kept.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../src/manifest/text/parse.ts';

const folder = new URL('corpus/', import.meta.url);
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length))
  .sort();
const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

describe('broken manifests', () => {
  it('are at least seventy, and no golden file is left over', () => {
    expect(names.length).toBeGreaterThanOrEqual(70);
    const goldens = readdirSync(folder).filter((name) => name.endsWith('.problems.json'));
    expect(goldens.sort()).toEqual(names.map((name) => `${name}.problems.json`).sort());
  });

  it.each(names)('%s: exactly these problems, in these places', (name) => {
    const text = readFileSync(new URL(`${name}.yaml`, folder), 'utf8');
    const { problems } = parseManifest(text, { file: `${name}.yaml` });
    const golden = new URL(`${name}.problems.json`, folder);
    if (isUpdate) writeFileSync(golden, `${JSON.stringify(problems, null, 2)}\n`);
    expect(problems).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
  });

  it.each(names)('%s: every problem says what is wrong, what to do and where', (name) => {
    const text = readFileSync(new URL(`${name}.yaml`, folder), 'utf8');
    const { problems } = parseManifest(text);
    const lines = text.split(/\r\n|\n|\r/);
    expect(problems.length).toBeGreaterThan(0);
    for (const { message, hint, code, line, column } of problems) {
      expect(message).toMatch(/^\S.*[.]$/s);
      expect(hint.length).toBeGreaterThan(10);
      expect(code).toMatch(/^[A-Z_]+$/);
      expect(line).toBeLessThanOrEqual(lines.length);
      expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
    }
  });
});
