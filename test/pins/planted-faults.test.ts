// `npm run planted-faults` takes minutes; that each fault can still be planted shows at once.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PLANTED_FAULTS } from '../../scripts/planted-faults/faults.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it.each(PLANTED_FAULTS)('the code still has what $name takes away', ({ changes }) => {
  for (const { file, from } of changes) expect(readFileSync(ROOT + file, 'utf8')).toContain(from);
});
