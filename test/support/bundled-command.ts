// The command as a few files, made once for a run of the suite. Tests start it by the hundred, and loading
// seven hundred files takes a third of the time that such a process runs. It is the same program: each file
// still finds what is beside it from where its source is.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));
const require = createRequire(import.meta.url);

/** They load programs for this machine from beside their own files. */
const NATIVE_PACKAGES = /^(@node-rs\/argon2|oxc-parser|oxc-resolver)$/;

const inPlace: Plugin = {
  name: 'in place',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: NATIVE_PACKAGES }, ({ path }) => ({
      path: pathToFileURL(require.resolve(path)).href,
      external: true,
    }));
    // An option of pg that is not installed.
    onResolve({ filter: /^pg-native$/ }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!path.startsWith(SOURCES)) return undefined;
      const source = await readFile(path, 'utf8');
      const place = JSON.stringify(pathToFileURL(path).href);
      return { contents: source.replaceAll('import.meta.url', place), loader: 'ts' };
    });
  },
};

export interface BundledCommand {
  /** What Node is started with. */
  main: string;
  remove(): Promise<void>;
}

export async function bundleCommand(): Promise<BundledCommand> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-command-'));
  // Some tests start it as another user.
  await chmod(folder, 0o755);
  await build({
    entryPoints: [join(SOURCES, 'main.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Some packages have a second form that loads its own files by names made at run time.
    mainFields: ['module', 'main'],
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(${JSON.stringify(import.meta.url)});`,
    },
    logLevel: 'error',
    plugins: [inPlace],
  });
  return {
    main: join(folder, 'main.mjs'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
