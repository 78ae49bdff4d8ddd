import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { fromRoot } from './tree.ts';

it('the client is one small file that imports nothing, for Node and browsers', async () => {
  const result = await build({
    entryPoints: [fromRoot('src/client/index.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    metafile: true,
  });
  const outputs = Object.values(result.metafile.outputs);
  expect(outputs.flatMap((output) => output.imports)).toEqual([]);
  expect(result.outputFiles[0]!.contents.length).toBeLessThan(26_000);
});
