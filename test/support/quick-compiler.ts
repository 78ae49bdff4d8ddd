// The compiler of TypeScript, for tests that call it once and look at what it says: half the work that it is otherwise.
import { fileURLToPath } from 'node:url';

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

export const QUICK_COMPILER = {
  // Several checkers look at the same types, each for itself.
  call: [TSC, '--singleThreaded'],
  // It ends before its memory is worth collecting.
  get env(): NodeJS.ProcessEnv {
    return { ...process.env, GOGC: 'off' };
  },
};
