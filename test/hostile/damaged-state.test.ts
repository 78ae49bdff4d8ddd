// Our own state after a fault of the disk or an edit by hand: told plainly, whatever command meets it.
import {
  cpSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findStateDir } from '../../src/orchestrator/state/state-dir.ts';
import { useServer } from '../support/use-server.ts';
import { runHere } from '../support/run-here.ts';
import { createWorld, manifest } from './world.ts';
import type { World } from './world.ts';

const server = useServer();
let world: World;
let stateDir: string;
let env: Record<string, string>;
let files: string[];

const here = (...args: string[]) => runHere(args, env, world.project);

/** A run that failed once and was fixed, and one whose answers were kept. */
beforeAll(async () => {
  world = await createWorld();
  const { key } = await server().createKey();
  env = {
    HOME: world.home,
    MILLRACE_URL: server().url,
    MILLRACE_API_KEY: key,
    MILLRACE_STATE_DIR: join(world.base, 'state'),
  };
  world.write(
    'project/millrace.yaml',
    manifest({ verify: ['test -f ok || { touch ok; exit 1; }'] }),
  );
  expect((await here('run', '--yes')).code).toBe(0);
  world.write('project/kept.yaml', manifest({ owns: ['out/b.md'] }));
  expect((await here('run', 'kept.yaml', '--apply', 'never')).code).toBe(0);
  stateDir = await findStateDir(realpathSync(world.project), join(world.base, 'state'));
  cpSync(stateDir, join(world.base, 'good'), { recursive: true });
  files = readdirSync(stateDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(stateDir, path)).isFile())
    .sort();
});
afterAll(() => world.remove());

const COMMANDS = ['status', 'explain', 'logs', 'diff', 'apply', 'revert', 'run kept.yaml'];

it.each(['', 'null', '{}', '[{}]', '\0\0\0\0'])('with %j in any of its files', async (text) => {
  expect(files.map((path) => relative('.', path)).join()).toMatch(/journal\.json.*journal\.jsonl/);
  for (const path of files) {
    rmSync(stateDir, { recursive: true });
    cpSync(join(world.base, 'good'), stateDir, { recursive: true });
    writeFileSync(join(stateDir, path), text);
    for (const command of COMMANDS) {
      const { stdout, stderr } = await here(...command.split(' '));
      const said = `${path}: ${command}: ${stdout}${stderr}`;
      expect(said).not.toMatch(/Cannot read|undefined|is not a function|is not iterable|\n {4}at /);
    }
  }
});

it('in the middle of a journal, is told with what to do, and nothing of it is cut off', async () => {
  rmSync(stateDir, { recursive: true });
  cpSync(join(world.base, 'good'), stateDir, { recursive: true });
  const runs = readdirSync(join(stateDir, 'runs')).sort();
  const journal = join(stateDir, 'runs', runs.at(-1)!, 'journal.jsonl');
  const text = readFileSync(journal, 'utf8');
  // The second line is no JSON any more, and others follow it.
  const damaged = text.replace('\n{', '\n#');
  expect(damaged).not.toBe(text);
  writeFileSync(journal, damaged);
  const { code, stderr } = await here('run', 'kept.yaml');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/is damaged: line \d+/),
  });
  expect(stderr).toContain('Move ');
  expect(readFileSync(journal, 'utf8')).toBe(damaged);
});
