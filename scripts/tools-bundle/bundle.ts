// Makes a few files of what `millrace mcp` needs until its first answer: an assistant starts it with every
// session, and loading hundreds of files takes longer than all the rest. What starts a server stays
// outside, because nothing of it is needed when a server is up.
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { build, stop } from 'esbuild';
import type { Plugin } from 'esbuild';
import { pastFace, readFace } from './face.ts';

/** Plain JavaScript that is needed at each start; other packages stay where they are. */
const BUNDLED_PACKAGES =
  /^(@modelcontextprotocol\/server|zod|commander|js-yaml|lru-cache|ignore|tokenx)(\/|$)/;
/**
 * Loaded on demand, but bundled: they share classes and state with what is there already. All the
 * rest that is loaded on demand is another command or a server.
 */
const BUNDLED_ON_DEMAND = /^(tools\/|orchestrator\/|cli\/failure\.|cli\/commands\/mcp\/)/;

export interface BundleOptions {
  /** The folder of the sources, or of what was compiled from them. */
  from: string;
  to: string;
}

export interface Bundle {
  /** Relative to `from`. */
  inputs: string[];
}

function specifier(from: string, to: string): string {
  const path = relative(from, to).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}

const endingIn = (from: string): string => (basename(from) === 'src' ? '.ts' : '.js');

/** What is bundled, what is left where it is, and how it is found there. */
function layout({ from, to }: BundleOptions): Plugin {
  return {
    name: 'layout',
    async setup({ onLoad, onResolve }) {
      const faceFile = join(from, 'orchestrator', `index${endingIn(from)}`);
      const face = readFace(faceFile, await readFile(faceFile, 'utf8'));
      onResolve({ filter: /./ }, ({ path, kind, importer, resolveDir }) => {
        if (!importer.startsWith(from + sep)) return undefined;
        if (!path.startsWith('.') && !isAbsolute(path)) {
          return BUNDLED_PACKAGES.test(path) ? undefined : { path, external: true };
        }
        const target = resolve(resolveDir, path);
        const isOutside =
          kind === 'dynamic-import' && !BUNDLED_ON_DEMAND.test(specifier(from, target).slice(2));
        if (isOutside) return { path: specifier(to, target), external: true };
        // No file of ours does anything when it is loaded: what is not used can be left out.
        return { path: target, sideEffects: false };
      });
      // They find other files from where they are.
      onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
        if (!path.startsWith(from + sep)) return undefined;
        const place = `new URL(${JSON.stringify(specifier(to, path))}, import.meta.url).href`;
        const source = pastFace(face, path, await readFile(path, 'utf8'));
        const contents = source.replaceAll('import.meta.url', place);
        return { contents, loader: extname(path) === '.ts' ? 'ts' : 'js' };
      });
    },
  };
}

export async function bundleTools(options: BundleOptions): Promise<Bundle> {
  const { from, to } = options;
  const entry = join(from, 'cli', `program${endingIn(from)}`);
  const { metafile } = await build({
    entryPoints: [entry],
    outdir: to,
    bundle: true,
    splitting: true,
    // Names stay: traces and messages of errors have them.
    minifyWhitespace: true,
    minifySyntax: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    metafile: true,
    absWorkingDir: dirname(from),
    // Standard output is not ours while the tools start.
    logLevel: 'silent',
    plugins: [layout(options)],
  });
  // Its process would stay as long as this one, which may be a whole session.
  await stop();
  const own = Object.keys(metafile.inputs).map((input) =>
    relative(from, join(dirname(from), input)),
  );
  return { inputs: own.filter((input) => !input.startsWith('..')).toSorted() };
}
