// Where this release is: its number, its migrations, its dashboard and its documentation, from the sources as from the built package.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../sql/', import.meta.url));

/** The built dashboard. */
export const WEB_FOLDER = fileURLToPath(new URL('../../dist/web', import.meta.url));

/** The built documentation. */
export const DOCS_FOLDER = fileURLToPath(new URL('../../dist/docs', import.meta.url));

export const VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  }
).version;
