// Where this process keeps code that it compiled.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** For further processes of ours: they use the same folder from their first file on. */
export function compileCacheEnv(): { NODE_COMPILE_CACHE?: string } {
  const used = getCompileCacheDir();
  // Node makes a folder of its version in the one that it was given.
  return used === undefined ? {} : { NODE_COMPILE_CACHE: dirname(used) };
}
