// The example project as a real repository.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export type Git = (...args: string[]) => string;

export function gitIn(folder: string): Git {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', env });
}

export function makeRepository(folder: string): Git {
  const git = gitIn(folder);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  git('config', 'core.excludesFile', '/dev/null');
  git('add', '.');
  git('commit', '-qm', 'start');
  return git;
}

/** Every file of the checkout with its bytes, mode and place in the index; of git, what the person sees as theirs. */
export function pictureOf(folder: string): Record<string, string> {
  const picture: Record<string, string> = {};
  const look = (path: string) => {
    for (const name of readdirSync(join(folder, path)).sort()) {
      const at = join(path, name);
      // The state of runs, where a test has it in the project.
      if (at === '.millrace') continue;
      if (at === '.git') {
        for (const file of ['HEAD', 'index', 'config', 'refs/heads/main']) {
          const bytes = readFileSync(join(folder, at, file));
          picture[`.git/${file}`] = createHash('sha256').update(bytes).digest('hex');
        }
        continue;
      }
      const about = lstatSync(join(folder, at));
      if (about.isDirectory()) look(at);
      else {
        const content = about.isSymbolicLink()
          ? readlinkSync(join(folder, at))
          : createHash('sha256')
              .update(readFileSync(join(folder, at)))
              .digest('hex');
        picture[at] = `${(about.mode & 0o777).toString(8)} ${content}`;
      }
    }
  };
  look('');
  return picture;
}
