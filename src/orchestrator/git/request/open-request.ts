// From a branch of a run to a request on a forge. Before the first push the branch is put in order: one commit a stream, on top
// of the branch that will take it. Afterwards others may have seen it: commits are only added. The checks run again on
// what is pushed. Each step can be done again, and another process that does the same finds what is there.
import type { Manifest } from '../../../manifest/model.ts';
import { manifestName, stateOf } from '../../../manifest/model.ts';
import { projectionOf } from '../../../domain/run/projection.ts';
import { addEstimates, createReplay } from '../../../domain/run/replay.ts';
import { totalsOf } from '../../../domain/run/totals.ts';
import { GitError, askGit, git } from '../../../git/git.ts';
import type { Forge, PullRequest } from '../../../git/forges/forge.ts';
import { fetchBranch, pushBranch, remoteTip } from '../../../git/remote.ts';
import {
  commitsOn,
  isAncestor,
  mergeIn,
  putOnTop,
  squash,
  squashed,
} from '../../../git/rewrite.ts';
import { commitsSince } from '../../../git/worktree.ts';
import { readManifestNow } from '../../changes/read-manifest.ts';
import { OrchestratorError } from '../../errors.ts';
import { checkBranch } from '../with-files-of-run.ts';
import type { FoundRun } from '../../project/find-run.ts';
import { withProjectLock } from '../../project/with-lock.ts';
import type { Approval, MillraceClient } from '../../../client/index.ts';
import { withKnownState } from '../../run/known-state.ts';
import { readBranch } from '../../state/branch-record.ts';
import type { BranchRecord } from '../../state/branch-record.ts';
import { readJournal } from '../../state/journal.ts';
import { journalOf, listRunIds } from '../../state/run-folder.ts';
import type { ProjectPlace } from '../../state/state-dir.ts';
import { leaveBranch, openBranch } from '../run-on-branch.ts';
import { askToPush } from './ask-to-push.ts';
import { checkStreams } from './check-streams.ts';
import type { CheckPlace, CheckedStreams } from './check-streams.ts';
import { describeRequest } from './describe-request.ts';
import { readRequest, writeRequest } from './request-record.ts';
import type { RequestRecord } from './request-record.ts';
import { readTemplate } from './template.ts';

export interface RequestOptions {
  forge: Forge;
  remote: string;
  /** The branch that will take it; the forge's own choice where it is left out. */
  target: string | undefined;
  title: string | undefined;
  isDraft: boolean;
  reviewers: readonly string[];
  /** Files that the person's settings bring into the folder of a branch. */
  copies: readonly string[];
  runUrl: string | undefined;
  checks: Omit<CheckPlace, 'root' | 'packagesFrom'>;
  onStep(text: string): void;
  /** Asked where the manifest wants an approval before a push; opened when it is asked for the first time. */
  client(): Promise<MillraceClient>;
  onWait(approval: Approval): void;
}

export type RequestOutcome =
  | { kind: 'opened' | 'updated'; request: PullRequest; commits: number }
  | { kind: 'check_failed'; failed: NonNullable<CheckedStreams['failed']> }
  | { kind: 'denied'; why: string };

/** The run's manifest as it is now, with what the runs on its branch have done. */
export async function manifestOnBranch(
  { root, stateDir }: ProjectPlace,
  { runId, events }: FoundRun,
): Promise<{ manifest: Manifest; record: BranchRecord }> {
  const record = await readBranch(stateDir, runId);
  if (record === undefined) {
    throw new OrchestratorError({
      code: 'GIT_NOT_READY',
      message: `${runId} did not work on a branch.`,
      hint: 'Only runs with --git branch can be pushed.',
    });
  }
  const { file } = projectionOf(events);
  const { manifest } = await readManifestNow(root, file);
  const runs = { file, origin: record.origin };
  return { manifest: await withKnownState(stateDir, runs, manifest), record };
}

function conflict(message: string, items: readonly string[], hint: string): OrchestratorError {
  return new OrchestratorError({ code: 'CONFLICT', message, items, hint });
}

interface Work {
  folder: string;
  branch: string;
  target: string;
  /** Where the target is now. */
  tip: string;
  known: RequestRecord | undefined;
  base: string;
  rootOf(stream: string): string;
  onStep(text: string): void;
}

/** Nobody has seen it: its commits may be made anew. Returns what they stand on. */
async function putInOrder({
  folder,
  branch,
  target,
  tip,
  base,
  rootOf,
  onStep,
}: Work): Promise<string> {
  const todo = squashed(await commitsOn(folder, base), rootOf);
  if (todo !== undefined && !(await squash(folder, base, todo))) {
    onStep('The fixes of streams stay commits of their own: other commits stand between.');
  }
  if (tip === base) return base;
  onStep(`Putting ${branch} on top of ${target} (${tip.slice(0, 10)})`);
  const files = await putOnTop(folder, { base, target: tip });
  if (files === undefined) return tip;
  throw conflict(
    `${branch} does not fit on ${target} as it is now.`,
    files,
    `Do it by hand, then try again: git switch ${branch} && git rebase ${tip.slice(0, 10)}`,
  );
}

async function bringUpToDate({
  folder,
  branch,
  target,
  tip,
  known,
  onStep,
}: Work): Promise<string> {
  if (await isAncestor(folder, tip, 'HEAD')) return known!.base;
  onStep(`Taking ${target} (${tip.slice(0, 10)}) into ${branch}`);
  const message = `Merge ${target} into ${branch}`;
  const files = await mergeIn(folder, { target: tip, message });
  if (files === undefined) return known!.base;
  throw conflict(
    `${target} cannot be taken into ${branch} without a decision.`,
    files,
    `Do it by hand, then try again: git switch ${branch} && git merge ${tip.slice(0, 10)}`,
  );
}

/** Where the branch leaves the target. One that began at a commit that the target does not have is ours from there on. */
async function standsOn(folder: string, tip: string, base: string): Promise<string> {
  const common = (await askGit(folder, ['merge-base', 'HEAD', tip]))?.trim();
  return common !== undefined && (await isAncestor(folder, base, common)) ? common : base;
}

/** Of all runs on the branch. */
async function historyOf(stateDir: string, origin: string) {
  const roots = new Map<string, string>();
  const models = new Set<string>();
  let costUsd: number | null = 0;
  let estimatedUsd: number | null | undefined;
  for (const runId of await listRunIds(stateDir)) {
    if ((await readBranch(stateDir, runId))?.origin !== origin) continue;
    const { events } = await readJournal(journalOf(stateDir, runId));
    const [first] = events;
    if (first?.type !== 'run.started') continue;
    const { record } = createReplay(events);
    for (const [fix, root] of record.fixes) roots.set(fix, root);
    for (const model of first.models ?? []) models.add(model);
    const { costUsd: cost, estimatedUsd: estimate } = totalsOf(record, 0);
    estimatedUsd = addEstimates(estimatedUsd, estimate);
    costUsd = costUsd === null || cost === null ? null : costUsd + cost;
  }
  return {
    rootOf: (stream: string) => roots.get(stream) ?? stream,
    models: [...models],
    costUsd,
    estimatedUsd,
  };
}

export async function openRequest(
  project: ProjectPlace,
  run: FoundRun,
  options: RequestOptions,
): Promise<RequestOutcome> {
  const { manifest, record } = await manifestOnBranch(project, run);
  const place = { runId: run.runId, work: 'apply' as const };
  return withProjectLock(project, place, () =>
    pushAndOpen(project, run, { manifest, record, options }),
  );
}

async function pushAndOpen(
  project: ProjectPlace,
  run: FoundRun,
  {
    manifest,
    record,
    options,
  }: { manifest: Manifest; record: BranchRecord; options: RequestOptions },
): Promise<RequestOutcome> {
  const { forge, remote, onStep } = options;
  const { stateDir } = project;
  const { branch, origin } = record;
  await checkBranch(project.root, branch);
  const known = await readRequest(stateDir, origin);
  const target = options.target ?? known?.target ?? (await forge.defaultBranch());
  const tip = await fetchBranch(project.root, remote, target);
  const history = await historyOf(stateDir, origin);
  const work = { kind: 'branch' as const, signsOff: false, copies: options.copies };
  const runBranch = { name: branch, base: record.base, origin };
  const { root } = await openBranch(project, run.runId, {
    work: { ...work, branch: runBranch },
    clonesPackages: options.checks.sandbox === undefined,
  });
  try {
    const base = await standsOn(root, tip, known?.base ?? record.base);
    const wasPushed = known?.pushed != null;
    const all = { folder: root, branch, target, tip, known, base, onStep, ...history };
    const newBase = wasPushed ? await bringUpToDate(all) : await putInOrder(all);
    const commits = await commitsSince(project.root, { branch, base: newBase });
    if (commits.length === 0) {
      throw new OrchestratorError({
        code: 'NOTHING_TO_APPLY',
        message: `${branch} has nothing that ${target} does not have.`,
      });
    }
    const commit = (await git(root, ['rev-parse', 'HEAD'])).trim();
    const made = [...new Set([...(known?.commits ?? []), ...commits])];
    const next: RequestRecord = {
      v: 1,
      remote,
      target,
      base: newBase,
      commits: made,
      pushed: known?.pushed ?? null,
      number: known?.number ?? null,
      url: known?.url ?? null,
    };
    await writeRequest(stateDir, origin, next);
    const { checks, failed } = await checkStreams(manifest, {
      ...options.checks,
      root,
      packagesFrom: project.root,
    });
    if (failed !== undefined) return { kind: 'check_failed', failed };
    const denial = await askToPush({
      manifest,
      branch,
      target,
      base: newBase,
      commit,
      root,
      run,
      options,
    });
    if (denial !== undefined) return { kind: 'denied', why: denial };
    await push(root, { branch, commit, next, onStep });
    next.pushed = commit;
    await writeRequest(stateDir, origin, next);
    const body = describeRequest({
      streams: describedStreams(manifest, run),
      checks,
      runId: run.runId,
      runUrl: options.runUrl,
      costUsd: history.costUsd,
      estimatedUsd: history.estimatedUsd,
      models: history.models,
      template: readTemplate(root, forge.kind),
      longest: forge.longestBody,
    });
    const outcome = await openOrUpdate(options, { branch, target, manifest, body, next });
    Object.assign(next, { number: outcome.request.number, url: outcome.request.url });
    await writeRequest(stateDir, origin, next);
    return { ...outcome, commits: commits.length };
  } finally {
    await leaveBranch({ ...project, git: { ...work, branch: runBranch } }, runBranch);
  }
}

/** Only onto what we pushed ourselves, or where there is nothing yet. */
async function push(
  folder: string,
  {
    branch,
    commit,
    next,
    onStep,
  }: { branch: string; commit: string; next: RequestRecord; onStep(text: string): void },
): Promise<void> {
  const { remote, pushed } = next;
  const there = (await remoteTip(folder, remote, branch)) ?? null;
  if (there === commit) return;
  // A process that was killed after its push has not written it down.
  const isOurs = there === pushed || (there !== null && next.commits.includes(there));
  if (!isOurs || (there !== null && !(await isAncestor(folder, there, commit)))) {
    throw conflict(
      `${branch} on ${remote} has commits that are not from here.`,
      [],
      `Take them in first: git fetch ${remote} ${branch}, then merge them into ${branch}.`,
    );
  }
  onStep(`Pushing ${branch} to ${remote}`);
  try {
    await pushBranch(folder, { remote, branch, commit, expected: there });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new OrchestratorError({
      code: 'CONFLICT',
      message: `${remote} did not take ${branch}: ${error.said.trim().split('\n').slice(-3).join(' ')}`,
      hint: 'Nothing was changed over there.',
    });
  }
}

function describedStreams(manifest: Manifest, run: FoundRun) {
  const { streams } = projectionOf(run.events);
  return [...manifest.streams.values()].map((stream) => {
    const row = streams.get(stream.id);
    const rows = [row, ...(row?.fixes ?? []).map((fix) => streams.get(fix))];
    const files = rows.flatMap((each) => each?.changes.map(({ path }) => path) ?? []);
    return {
      id: stream.id,
      name: 'name' in stream ? stream.name : stream.description,
      plan: stream.plan ?? '',
      files: [...new Set(files)].sort(),
      status: stateOf(stream).status,
    };
  });
}

async function openOrUpdate(
  { forge, title, isDraft, reviewers, onStep }: RequestOptions,
  {
    branch,
    target,
    manifest,
    body,
    next,
  }: { branch: string; target: string; manifest: Manifest; body: string; next: RequestRecord },
): Promise<{ kind: 'opened' | 'updated'; request: PullRequest }> {
  const found = next.number === null ? undefined : await forge.get(next.number);
  const open = found?.state === 'open' ? found : await forge.find(branch);
  if (open !== undefined) {
    onStep(`Updating the ${forge.word} #${open.number}`);
    const change = { ...(title !== undefined && { title }), body };
    const request = await forge.update(open.number, change);
    return { kind: 'updated', request };
  }
  onStep(`Opening a ${forge.word}`);
  const name = title ?? manifestName(manifest);
  const request = await forge.open({ head: branch, base: target, title: name, body, isDraft });
  if (reviewers.length > 0) await forge.askReviewers(request.number, reviewers);
  return { kind: 'opened', request };
}
