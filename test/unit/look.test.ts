import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TOKENS } from '../../src/http/look/tokens.ts';

it('pages of the server have the colours of the dashboard', () => {
  const styles = readFileSync(new URL('../../web/styles.css', import.meta.url), 'utf8');
  const colours = TOKENS.match(/--[\w-]+: (?:light-dark|0 ).*;/g) ?? [];
  expect(colours.length).toBeGreaterThan(10);
  expect(colours.filter((line) => !styles.includes(line))).toEqual([]);
});
