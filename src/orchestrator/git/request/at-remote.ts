// Calls of git to where a branch is pushed: what git says when they fail, and what to do about it.
import { ForgeError } from '../../../git/forges/forge.ts';
import { GitError } from '../../../git/git.ts';
import { notReady } from '../check-git.ts';

/** Of a server, of ssh, and where git has no login at all. */
const isAboutRights = (said: string) =>
  /\b40[13]\b|denied|not authorized|could not read (Username|Password)|Authentication failed/i.test(
    said,
  );

const RIGHTS_HINT =
  'Git uses a login of its own, besides the token, and it needs the right to write there.';

/** `branch`: what is looked for there. */
export async function atRemote<T>(
  { remote, branch }: { remote: string; branch: string },
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (/couldn't find remote ref/.test(error.said)) {
      const hint = 'Name the branch that will take it with --base.';
      throw notReady(`${remote} has no branch ${branch}.`, hint);
    }
    const why = lastWords(error);
    if (isAboutRights(error.said))
      throw notReady(`${remote} does not let git in: ${why}`, RIGHTS_HINT);
    throw new ForgeError(`${remote} cannot be reached: ${why}`, {
      hint: 'Try again; nothing is done twice.',
    });
  }
}

/** Without the advice that git gives in general. */
export function lastWords({ said }: GitError): string {
  const lines = said
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '');
  const fatal = lines.filter((line) => /^(fatal|remote|error):|^!/.test(line));
  return (fatal.length > 0 ? fatal : lines).slice(-3).join(' ');
}

export const whyRefused = (error: GitError): string =>
  isAboutRights(error.said) ? RIGHTS_HINT : 'Nothing was changed over there.';
