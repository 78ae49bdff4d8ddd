// Imports between our own files, resolved without the runner: it writes each of some ten thousand to its main
// process, which needs them only to run files again that changed, and Node would look for every file on its way.
import { registerHooks } from 'node:module';

const OURS = new URL('../../', import.meta.url).href;
const PACKAGES = `${OURS}node_modules/`;
const REGISTERED = Symbol.for('millrace.test.quick-imports');
const world = globalThis as unknown as Record<symbol, true | undefined>;

const isOurs = (url: string | undefined): url is string =>
  url !== undefined && url.startsWith(OURS) && !url.startsWith(PACKAGES);

// These files run once for each file of tests.
if (!world[REGISTERED]) {
  world[REGISTERED] = true;
  registerHooks({
    resolve(specifier, context, next) {
      if (!/^\.{1,2}\/.*\.ts$/.test(specifier) || !isOurs(context.parentURL))
        return next(specifier, context);
      return { url: new URL(specifier, context.parentURL).href, shortCircuit: true };
    },
  });
}
