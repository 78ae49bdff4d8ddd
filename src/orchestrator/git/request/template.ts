// The text that a repository wants in the description of a request.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ForgeKind } from '../../../git/forges/forge.ts';

const TEMPLATES: Readonly<Record<ForgeKind, readonly string[]>> = {
  github: ['.github', '', 'docs'].flatMap((folder) =>
    ['pull_request_template.md', 'PULL_REQUEST_TEMPLATE.md'].map((name) => join(folder, name)),
  ),
  gitlab: [
    '.gitlab/merge_request_templates/Default.md',
    '.gitlab/merge_request_templates/default.md',
  ],
};
const LONGEST = 20_000;

/** A plain file of the repository: no link, nothing huge. */
export function readTemplate(root: string, kind: ForgeKind): string | undefined {
  for (const path of TEMPLATES[kind]) {
    const about = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (about?.isFile() !== true || about.size > LONGEST) continue;
    return readFileSync(join(root, path), 'utf8');
  }
  return undefined;
}
