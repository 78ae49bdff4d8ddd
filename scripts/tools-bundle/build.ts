// Part of `npm run build`: bundles the tools from what was compiled.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleTools } from './bundle.ts';

const from = fileURLToPath(new URL('../../dist', import.meta.url));
const to = `${from}/mcp`;
rmSync(to, { recursive: true, force: true });
await bundleTools({ from, to });
