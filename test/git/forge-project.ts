// A project with a forge behind its remote, and a branch that a run has made and pushed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliResult } from '../support/cli.ts';
import type { TestServer } from '../support/server.ts';
import { createRunProject } from '../terminal/run-project.ts';
import type { RunProject, StartedRun } from '../terminal/run-project.ts';
import { startForge } from './forge-double.ts';
import type { Answer, Asked, ForgeDouble } from './forge-double.ts';
import { gitIn, makeRepository } from './repository.ts';
import type { Git } from './repository.ts';

const TOKENS = { GH_TOKEN: 'token-of-me', GITLAB_TOKEN: 'token-of-me' };

export interface ForgeProject {
  project: RunProject;
  forge: ForgeDouble;
  git: Git;
  /** The repository on the forge. */
  there: Git;
  pr(...words: string[]): Promise<CliResult>;
  /** As a process of its own, which starts others. */
  startFix(): StartedRun;
  fix(...words: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Answers one call otherwise. */
  once(matches: (asked: Asked) => boolean, answer: Answer): void;
  remove(): Promise<void>;
}

/** In the manifest, FOLDER is the project's. */
export async function createForgeProject(
  server: TestServer,
  kind: 'github' | 'gitlab',
  manifest: string,
  files: Readonly<Record<string, string>> = {},
): Promise<ForgeProject> {
  return forgeProjectOf(await createRunProject(server), kind, manifest, files);
}

/** Of a project that has no repository yet. */
export async function forgeProjectOf(
  project: RunProject,
  kind: 'github' | 'gitlab',
  manifest: string,
  files: Readonly<Record<string, string>> = {},
): Promise<ForgeProject> {
  const written = { ...files, 'm.yaml': manifest.replaceAll('FOLDER', project.folder) };
  for (const [name, text] of Object.entries(written)) await project.write(name, text);
  const git = makeRepository(project.folder);
  const bare = `${project.folder}.git`;
  gitIn(join(project.folder, '..'))('clone', '-q', '--bare', project.folder, bare);
  const forge = await startForge(kind, bare);
  git('remote', 'add', 'origin', 'https://forge.example.com/o/r.git');
  git('config', `url.${bare}.insteadOf`, 'https://forge.example.com/o/r.git');
  const config = join(project.settings['XDG_CONFIG_HOME']!, 'millrace');
  mkdirSync(config, { recursive: true });
  const forges = { 'forge.example.com': { kind, api: forge.url } };
  writeFileSync(join(config, 'config.yaml'), JSON.stringify({ forges }));
  Object.assign(project.settings, TOKENS);
  return {
    project,
    forge,
    git,
    there: gitIn(bare),
    pr: (...words) => project.millrace(['pr', '--yes', ...words]),
    startFix: () => project.start(['pr', 'fix', '--yes']),
    async fix(...words) {
      const started = project.start(['pr', 'fix', '--yes', ...words]);
      const code = await started.ended;
      return { code, stdout: started.stdout(), stderr: started.stderr() };
    },
    once(matches, answer) {
      let isOver = false;
      forge.next = (asked) => {
        if (isOver || !matches(asked)) return undefined;
        isOver = true;
        return answer;
      };
    },
    async remove() {
      await forge.close();
      await project.remove();
    },
  };
}
