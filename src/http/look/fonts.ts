// The fonts of the dashboard for the other pages of the server. Its style says where they are; without a built
// dashboard the fonts of the system are used.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** CSS for the fonts, or nothing. */
export function fontFaces(webFolder: string): string {
  const assets = join(webFolder, 'assets');
  if (!existsSync(assets)) return '';
  return readdirSync(assets)
    .filter((name) => name.endsWith('.css'))
    .flatMap(
      (name) => readFileSync(join(assets, name), 'utf8').match(/@font-face\{[^{}]*\}/g) ?? [],
    )
    .map((face) => `${face}\n`)
    .join('');
}
