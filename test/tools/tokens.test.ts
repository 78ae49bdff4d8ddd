// What the list of tools may cost. docs/assistants.md has the figures, and test/pins compares them.
import { expect, it } from 'vitest';
import { toolTokens } from '../../scripts/tool-tokens.ts';
import { listTools } from '../../src/tools/tool-list.ts';

it('what a model is shown of the tools stays below 900 tokens, and the whole list below 3,600', () => {
  const { shown, whole } = toolTokens();
  expect(shown.tokens).toBeLessThan(900);
  expect(whole.tokens).toBeLessThan(3600);
});

it('every input is described', () => {
  const fields = listTools({ writes: false, hasFiles: true }).flatMap(
    ({ inputSchema: { properties = {} } }) =>
      Object.entries(properties as Record<string, { description?: string }>),
  );
  expect(fields.length).toBeGreaterThan(3);
  expect(fields.filter(([, { description = '' }]) => description === '')).toEqual([]);
});
