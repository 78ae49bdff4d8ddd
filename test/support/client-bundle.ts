// The client as a script for a page.
import { build } from 'esbuild';
import { fromRoot } from '../pins/tree.ts';

export async function bundleClient(): Promise<string> {
  const result = await build({
    entryPoints: [fromRoot('src/client/index.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'millrace',
    platform: 'neutral',
  });
  return result.outputFiles[0]!.text;
}
