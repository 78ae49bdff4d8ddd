// Programs that leave a mark when anything starts them.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Traps {
  /** Passes on what it gets, as a filter would, unless it is to end at once. Returns its path. */
  set(name: string, options?: { folder?: string; ends?: boolean }): string;
  /** Names of those that were started. */
  sprung(): string[];
  /** For what the test itself has started. */
  reset(): void;
}

/** In the repository, as an archive would bring them along. */
export function trapsIn(repository: string): Traps {
  const mark = join(dirname(repository), 'sprung');
  return {
    set(name, { folder = join(repository, '.git'), ends = false } = {}) {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\necho '${name}' >> '${mark}'\n${ends ? 'exit 1' : 'cat'}\n`);
      chmodSync(file, 0o755);
      return file;
    },
    sprung() {
      try {
        return [...new Set(readFileSync(mark, 'utf8').trim().split('\n'))];
      } catch {
        return [];
      }
    },
    reset: () => rmSync(mark, { force: true }),
  };
}

/** All of githooks(5). */
export const HOOKS = [
  'applypatch-msg',
  'pre-applypatch',
  'post-applypatch',
  'pre-commit',
  'pre-merge-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'pre-rebase',
  'post-checkout',
  'post-merge',
  'pre-push',
  'pre-receive',
  'update',
  'proc-receive',
  'post-receive',
  'post-update',
  'reference-transaction',
  'push-to-checkout',
  'pre-auto-gc',
  'post-rewrite',
  'sendemail-validate',
  'fsmonitor-watchman',
  'p4-changelist',
  'p4-prepare-changelist',
  'p4-post-changelist',
  'p4-pre-submit',
  'post-index-change',
];

/** Every kind of setting in git-config(1) that is a command, and that nothing here should ever come to. */
export function neverRun(traps: Traps): Record<string, string> {
  const trap = (name: string) => traps.set(name);
  return {
    'alias.commit': `!${trap('alias')}`,
    'alias.status': `!${trap('alias')}`,
    'browser.evil.cmd': trap('browser'),
    'commit.verbose': 'true',
    'core.commentChar': 'p',
    'core.editor': trap('editor'),
    'core.fsmonitor': trap('monitor'),
    'core.pager': trap('pager'),
    'diff.evil.command': trap('diff-driver'),
    'diff.evil.textconv': trap('textconv'),
    'diff.external': trap('external-diff'),
    'diff.tool': 'evil',
    'difftool.evil.cmd': trap('difftool'),
    'format.pretty': 'fuller',
    'gc.auto': '1',
    'gc.recentObjectsHook': trap('recent-objects'),
    'interactive.diffFilter': trap('diff-filter'),
    'log.diffMerges': 'on',
    'maintenance.auto': 'true',
    'man.evil.cmd': trap('man'),
    'merge.tool': 'evil',
    'mergetool.evil.cmd': trap('mergetool'),
    'pager.log': trap('pager-of-log'),
    'pager.status': trap('pager-of-status'),
    'push.recurseSubmodules': 'on-demand',
    // In the list of what a rebase should do.
    'rebase.instructionFormat': `%s%nexec ${trap('exec')}`,
    'sequence.editor': trap('sequence-editor'),
    'status.submoduleSummary': 'true',
    'submodule.evil.update': `!${trap('submodule')}`,
    'submodule.recurse': 'true',
    'tar.evil.command': trap('tar'),
    'trailer.evil.cmd': trap('trailer-cmd'),
    'trailer.millrace-stream.command': trap('trailer'),
    'uploadpack.packObjectsHook': trap('pack-objects'),
    'web.browser': 'evil',
  };
}
