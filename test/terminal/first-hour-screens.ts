// The screens of a first hour with Millrace, kept as text: what differs from call to call is
// replaced, and the rest must stay as it is in test/terminal/first-hour. `UPDATE_SCREENS=1` writes
// them anew; read the difference as a user would.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const FOLDER = fileURLToPath(new URL('./first-hour', import.meta.url));

/** Same width where it matters: columns stay columns. */
const same = (mark: string) => (found: string) => mark.repeat(found.length).slice(0, found.length);

export function normalised(lines: readonly string[], places: Readonly<Record<string, string>>) {
  // A path may be broken where the terminal ends: then its parts cannot be found.
  let text = lines.map((line) => line.trimEnd()).join('\n');
  for (const [path, name] of Object.entries(places)) text = text.replaceAll(path, name);
  return (
    text
      .replace(/mill_sk_\w+/g, 'mill_sk_KEY')
      .replace(/mill_ln_[\w-]+/g, 'mill_ln_LINK')
      .replace(/\b(run|exec|job|key|req)_[0-9a-z]{10,26}\b/g, '$1_ID')
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:PORT')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'YYYY-MM-DD HH:MM')
      .replace(/ +\d+ms\b/g, ' Nms')
      .replace(/ *\b\d+m\d\ds\b/g, ' TIME')
      .replace(/ *\b\d+\.\ds\b/g, ' TIME')
      .replace(/ *\$\d+\.\d+/g, ' $COST')
      // Every word of a prompt changes the figures of a plan.
      .replace(/ *\b\d[\d.]*k? (in|out) /g, ' N $1 ')
      .replace(/Estimate: [\d.k]+ tokens in, [\d.k]+ out/g, 'Estimate: N tokens in, N out')
      .replace(/ +\d+s(?=  sim-)/g, '  TIME')
      .replace(/about \d+s(?:\s+with 8)?/g, 'about TIME')
      .replace(/ *\b[\d,]+ tok\b/g, ' N tok')
      .replace(/ *\b[\d,]+ tokens\b/g, ' N tokens')
      .replace(/(\d\/\d) +[\d,]+ (?=\$COST)/g, '$1 N ')
      .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, same('*'))
  );
}

export function expectScreen(name: string, text: string): void {
  const file = join(FOLDER, `${name}.txt`);
  if (process.env['UPDATE_SCREENS']) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  }
  expect(`${text}\n`, name).toBe(readFileSync(file, 'utf8'));
}
