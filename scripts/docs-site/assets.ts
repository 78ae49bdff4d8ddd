// Styles, scripts and fonts of the pages, named by what is in them: browsers keep them for good.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const URL_PREFIX = '/docs/assets';

/** Address of each, by its name without the hash. */
export async function bundleAssets(webFolder: string, out: string): Promise<Map<string, string>> {
  const { metafile } = await build({
    absWorkingDir: webFolder,
    entryPoints: [
      { in: 'docs/main.ts', out: 'docs' },
      { in: 'docs/main.css', out: 'docs' },
      { in: 'docs/chosen-theme.ts', out: 'theme' },
      { in: 'docs/lost.css', out: 'lost' },
    ],
    outdir: out,
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: URL_PREFIX,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    loader: { '.woff2': 'file' },
    metafile: true,
    logLevel: 'warning',
  });
  return new Map(
    Object.keys(metafile.outputs).map((path) => {
      const name = basename(path);
      return [name.replace(/-[^-]+(?=\.\w+$)/, ''), `${URL_PREFIX}/${name}`];
    }),
  );
}

/** The address of a file that was made here. */
export function writeAsset(out: string, name: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase();
  const hashed = name.replace(/(?=\.\w+$)/, `-${hash}`);
  writeFileSync(join(out, hashed), text);
  return `${URL_PREFIX}/${hashed}`;
}
