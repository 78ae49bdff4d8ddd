import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromRoot } from '../pins/tree.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';

const OURS = fromRoot('node_modules/.cache/millrace');
/** Tells at its end where its compiled code is kept, and what its own commands would inherit of that. */
const TELL = `data:text/javascript,${encodeURIComponent(`
  import { getCompileCacheDir } from 'node:module';
  process.on('exit', () =>
    process.stderr.write(JSON.stringify([getCompileCacheDir(), process.env.NODE_COMPILE_CACHE ?? null])));
`)}`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-compiled-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function keptBy(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<[string | undefined, string | null]> {
  const { NODE_COMPILE_CACHE: _, ...others } = cleanEnv({});
  const child = spawn(process.execPath, args, { env: { ...others, ...env } });
  child.stdin.end();
  const [told] = await Promise.all([text(child.stderr), text(child.stdout)]);
  return JSON.parse(told) as [string | undefined, string | null];
}

describe('compiled code', () => {
  it('of a checkout is kept, however it is started, and commands of users do not inherit where', async () => {
    const command = ['--import', TELL, MAIN, '--version'];
    for (const env of [{}, { NODE_COMPILE_CACHE: OURS }]) {
      const [used, inherited] = await keptBy(command, env);
      expect(used).toContain(OURS);
      expect(inherited).toBeNull();
    }
    expect(await readdir(OURS)).not.toEqual([]);
  });

  it('is where a user wants it', async () => {
    const wanted = { NODE_COMPILE_CACHE: folder };
    const [used, inherited] = await keptBy(['--import', TELL, MAIN, '--version'], wanted);
    expect(used).toContain(folder);
    expect(inherited).toBe(folder);
  });

  it('is shared with processes that a server starts', async () => {
    const script = `
      import { spawnSync } from 'node:child_process';
      import { enableCompileCache } from 'node:module';
      import { compileCacheEnv } from '${pathToFileURL(fromRoot('src/platform/compile-cache.ts')).href}';
      enableCompileCache(process.argv[1]);
      const env = { ...process.env, ...compileCacheEnv() };
      const { stderr } = spawnSync(process.execPath, ['--import', process.argv[2], '-e', '0'], { env });
      process.stderr.write(stderr);`;
    const args = ['--input-type=module', '-e', script, folder, TELL];
    const [used, given] = await keptBy(args);
    expect(given).toBe(folder);
    expect(used?.startsWith(folder)).toBe(true);
    expect(await readdir(folder)).toHaveLength(1);
  });
});
