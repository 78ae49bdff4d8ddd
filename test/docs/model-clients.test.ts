// The dashboard and the documentation show the same lines for clients of the model endpoint.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { modelClients } from '../../web/pages/connect/model-clients.ts';

it('the lines for clients are those of the documentation, all of them', () => {
  const page = readFileSync(new URL('../../docs/model-endpoint.md', import.meta.url), 'utf8');
  const chapters = page.slice(page.indexOf('## SDKs'), page.indexOf('## What passes'));
  const documented = [...chapters.matchAll(/^```\w[^\n]*\n([^]*?)\n```$/gm)].map(
    ([, text]) => text!,
  );
  const shown = modelClients('http://127.0.0.1:4747').flatMap(({ steps }) =>
    steps.map(({ text }) => text),
  );
  expect(new Set(shown)).toEqual(new Set(documented));
  expect(shown).toHaveLength(documented.length);
});
