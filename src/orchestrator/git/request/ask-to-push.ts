// The gate before a push: a person sees which commits go where. The approval is for one commit alone.
import type { Manifest } from '../../../manifest/model.ts';
import { git } from '../../../git/git.ts';
import { sha256 } from '../../../platform/sha256.ts';
import { OrchestratorError } from '../../errors.ts';
import type { FoundRun } from '../../project/find-run.ts';
import { askApproval, denialText } from '../../run/ask-approval.ts';
import type { GateQuestion } from '../../run/ask-approval.ts';
import type { RequestOptions } from './open-request.ts';

interface PushQuestion {
  manifest: Manifest;
  branch: string;
  target: string;
  base: string;
  commit: string;
  root: string;
  run: FoundRun;
  options: RequestOptions;
}

/** Undefined when it may be pushed. */
export async function askToPush({
  manifest,
  branch,
  target,
  base,
  commit,
  root,
  run,
  options,
}: PushQuestion): Promise<string | undefined> {
  if (manifest.approve?.includes('push') !== true) return undefined;
  const { forge, remote, checks, onWait } = options;
  const shown = [
    'log',
    '--stat',
    '--no-ext-diff',
    '--no-textconv',
    '--format=%h %s',
    `${base}..HEAD`,
  ];
  const question: GateQuestion = {
    kind: 'push',
    title: `Push ${branch} at ${commit.slice(0, 10)} to ${remote}, for a ${forge.word} into ${target}`,
    detail: checks.scrub(await git(root, shown, { reachesOthers: true })),
    format: 'text',
    hash: sha256(commit),
  };
  const context = { options: { client: await options.client() }, runId: run.runId };
  const answer = await askApproval(context, question, { signal: checks.signal, onOpen: onWait });
  checks.signal.throwIfAborted();
  if (answer.kind === 'denied') return denialText(question, answer);
  if (answer.kind === 'approved') return undefined;
  const reason = answer.kind === 'halted' ? answer.halt.reason : 'stopped';
  throw new OrchestratorError({
    code: 'NO_SERVER',
    message: `Nobody could be asked whether ${branch} may be pushed: ${reason}`,
    hint: 'Try again when the server can be reached.',
  });
}
