// Whoever works on this may have the checkout in their path, and what commands suggest depends on that.
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
process.env['PATH'] = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => folder.replace(/\/$/, '') !== checkout)
  .join(delimiter);
