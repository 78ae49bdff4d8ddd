import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_SANDBOX, SECRET, USERS, openWorld } from './world.ts';
import type { World } from './world.ts';

describe.skipIf(NO_SANDBOX !== undefined).each(USERS)(
  'a copy in a sandbox, as %s',
  (_user, uid) => {
    let world: World;
    beforeAll(() => {
      world = openWorld(uid);
    });
    afterAll(async () => world.close());

    it('has what is listed of the project, without secret and ignored files', async () => {
      const { stdout } = await world.ask({ script: 'pwd; find . -path ./.git -prune -o -print' });
      const [folder, ...found] = stdout.trim().split('\n');
      expect(folder).toBe(world.project);
      expect(found.filter((path) => !path.startsWith('./node_modules/')).sort()).toEqual(
        ['.', './a.txt', './node_modules', './out', './src', './src/b.txt', './src/deep']
          .concat(['./src/deep/c.txt', './src/run.sh'])
          .sort(),
      );
      const { stdout: all } = await world.ask({ script: 'grep -r . . ; env; cat .git/config' });
      expect(all).toContain('src/b.txt:b');
      expect(all).not.toContain(SECRET);
    });

    it('has a repository with one commit that holds the base, and nothing of the person', async () => {
      const script =
        'git log --format=%s; git remote; ls .git/hooks; git status --short; git ls-files';
      const { stdout } = await world.ask({ script });
      expect(stdout).toContain('Base\n');
      expect(stdout).toContain('?? src/\n');
      expect(stdout.trim().split('\n').at(-1)).toBe('a.txt');
    });

    it('returns what changed, and leaves the project as it was', async () => {
      const { changes, method } = await world.ask({
        script: `echo more >>a.txt; echo new >src/new.txt; rm -r src/deep; mkdir src/deep; echo d >src/deep/d.txt
        chmod -x src/run.sh; touch src/b.txt; rm out; ln -s /etc/passwd out; mkfifo pipe
        mkdir -p sub/.git; echo hook >sub/.git/config; echo x >node_modules/dep/index.js`,
      });
      expect(method).toMatch(/^(?:overlay|copy)$/);
      expect(changes.map(({ path, change, kind }) => `${change} ${kind} ${path}`)).toEqual([
        'modified file a.txt',
        'modified link out',
        'added other pipe',
        'deleted file src/deep/c.txt',
        'added file src/deep/d.txt',
        'added file src/new.txt',
        'modified file src/run.sh',
      ]);
      expect(readFileSync(join(world.project, 'a.txt'), 'utf8')).toBe('a\n');
      expect(readFileSync(join(world.project, 'node_modules/dep/index.js'), 'utf8')).toBe('dep\n');
    });

    it('returns also what is closed to its owner, and a file that became a folder', async () => {
      const { changes } = await world.ask({
        copy: 'closed',
        script: `mkdir shut; echo x >shut/x; chmod 0 shut src; echo y >closed; chmod 0 closed
        rm a.txt; mkdir a.txt; echo z >a.txt/z`,
      });
      expect(changes.map(({ path, change, kind }) => `${change} ${kind} ${path}`)).toEqual([
        'deleted file a.txt',
        'added file a.txt/z',
        'added file closed',
        'added file shut/x',
      ]);
    });

    it('reports a file that changed in the project meanwhile', async () => {
      await world.ask({ copy: 'moved', script: 'echo inside >>src/b.txt' });
      writeFileSync(join(world.project, 'src/b.txt'), 'outside\n');
      const { changes } = await world.ask({ copy: 'moved', script: 'true' });
      writeFileSync(join(world.project, 'src/b.txt'), 'b\n');
      expect(changes).toMatchObject([{ path: 'src/b.txt', change: 'modified', baseMoved: true }]);
    });

    it('keeps what commands wrote, also to dependencies, for those after them in the same copy', async () => {
      await world.ask({ copy: 'kept', script: 'echo 1 >one; echo 2 >node_modules/two' });
      const { stdout, changes } = await world.ask({
        copy: 'kept',
        script: 'cat one node_modules/two',
      });
      expect(stdout).toBe('1\n2\n');
      expect(changes.map(({ path }) => path)).toEqual(['one']);
      const other = await world.ask({ script: 'ls one node_modules/two' });
      expect(other.stdout).toBe('');
    });

    it('can be the project itself, read-only or not', async () => {
      const readOnly = await world.ask({ use: 'read-only', script: 'echo x >>a.txt; cat a.txt' });
      expect(readOnly.stdout).toBe('a\n');
      expect(readOnly.stderr).toContain('Read-only');
      await world.ask({ use: 'original', script: 'echo x >written' });
      expect(readFileSync(join(world.project, 'written'), 'utf8')).toBe('x\n');
    });

    it('returns the exit code of the command', async () => {
      expect((await world.ask({ script: 'exit 7' })).ending).toEqual({
        kind: 'exited',
        exitCode: 7,
      });
      const { ending } = await world.ask({ command: ['no-such-program'] });
      expect(ending).toEqual({ kind: 'exited', exitCode: 127 });
    });
  },
);
