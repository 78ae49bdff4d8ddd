// Finds the program for a call. Assistants start `millrace mcp` with every session, so that one is also
// there as a few files that load fast (scripts/tools-bundle). They hold the same program.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeFolder } from '../platform/make-folder.ts';

export interface Program {
  run(argv: string[]): Promise<number>;
}

const IS_CHECKOUT = import.meta.url.endsWith('.ts');
const INSTALLED = fileURLToPath(new URL('../mcp/program.js', import.meta.url));
const CHECKOUT = new URL('../../', import.meta.url);
const BUNDLER = 'scripts/tools-bundle/checkout.ts';

/** These are called by people, and load parts that are not in the bundle. */
const NOT_SERVING = ['install', 'uninstall', '--check'];

export function servesTools([first, ...rest]: readonly string[]): boolean {
  return first === 'mcp' && !rest.some((word) => NOT_SERVING.includes(word));
}

/** Of an installed command in a folder of the user's: others could put code into a shared one. */
function compiledFolder(env: NodeJS.ProcessEnv): string | undefined {
  if (IS_CHECKOUT) return fileURLToPath(new URL('node_modules/.cache/millrace', CHECKOUT));
  const { XDG_CACHE_HOME: given } = env;
  try {
    const base = given && isAbsolute(given) ? given : join(homedir(), '.cache');
    return join(base, 'millrace', 'compiled');
  } catch {
    // A user without a home folder: it starts more slowly.
    return undefined;
  }
}

async function findBundle(): Promise<string | undefined> {
  if (!IS_CHECKOUT) return existsSync(INSTALLED) ? INSTALLED : undefined;
  try {
    const bundler = new URL(BUNDLER, CHECKOUT).href;
    const { bundleOfCheckout } = (await import(bundler)) as {
      bundleOfCheckout(root: string): Promise<string | undefined>;
    };
    return await bundleOfCheckout(fileURLToPath(CHECKOUT));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.error(`Could not bundle the tools, so they start more slowly: ${why}`);
    return undefined;
  }
}

/** Node itself would try for ever in a folder that its file system does not let be made. */
function isMade(folder: string): boolean {
  try {
    makeFolder(folder, 0o700);
    return true;
  } catch {
    return false;
  }
}

export async function loadProgram(argv: readonly string[]): Promise<Program> {
  const compiled = compiledFolder(process.env);
  // Compiling a thousand files takes a third of the start of a server. What the environment has chosen stays, and a folder
  // that cannot be written to is no error, only slower.
  if (compiled !== undefined && isMade(compiled)) enableCompileCache(compiled);
  // Set by the script that starts a checkout, and in use by now. Commands of users would put their code there, too.
  if (process.env['NODE_COMPILE_CACHE'] === compiled) delete process.env['NODE_COMPILE_CACHE'];
  const bundle = servesTools(argv) ? await findBundle() : undefined;
  if (bundle === undefined) return import('./program.ts');
  return (await import(pathToFileURL(bundle).href)) as Program;
}
