// From a branch of a run to a request on a forge. Before the first push the branch is put in order: one commit a stream, on top
// of the branch that will take it. Afterwards others may have seen it: commits are only added. The checks run again on
// what is pushed. Each step can be done again, and another process that does the same finds what is there.
import type { Manifest } from '../../../manifest/model.ts';
import { stateOf } from '../../../manifest/model.ts';
import type { Approval, MillraceClient } from '../../../client/index.ts';
import { projectionOf } from '../../../domain/run/projection.ts';
import { git } from '../../../git/git.ts';
import type { Forge, PullRequest } from '../../../git/forges/forge.ts';
import { fetchBranch, remoteTip } from '../../../git/remote.ts';
import { commitsSince } from '../../../git/worktree.ts';
import { readManifestNow } from '../../changes/read-manifest.ts';
import { OrchestratorError } from '../../errors.ts';
import type { FoundRun } from '../../project/find-run.ts';
import { withProjectLock } from '../../project/with-lock.ts';
import { withKnownState } from '../../run/known-state.ts';
import { readBranch } from '../../state/branch-record.ts';
import type { BranchRecord } from '../../state/branch-record.ts';
import type { ProjectPlace } from '../../state/state-dir.ts';
import { leaveBranch, openBranch } from '../run-on-branch.ts';
import { checkBranch } from '../with-files-of-run.ts';
import { askToPush } from './ask-to-push.ts';
import { historyOf } from './branch-history.ts';
import type { BranchHistory } from './branch-history.ts';
import { checkStreams } from './check-streams.ts';
import type { CheckPlace, CheckedStreams } from './check-streams.ts';
import { conflictError } from './conflict-error.ts';
import type { DescribedStream } from './describe-request.ts';
import { openRequests } from './open-on-forge.ts';
import { bringUpToDate, putInOrder, standsOn } from './order-branch.ts';
import { pushCommits } from './push-commits.ts';
import { readRequest, writeRequest } from './request-record.ts';
import type { RequestRecord } from './request-record.ts';
import { partsOf, wavesOfManifest } from './stack.ts';
import { readTemplate } from './template.ts';

export interface RequestOptions {
  forge: Forge;
  remote: string;
  /** The branch that will take it; the forge's own choice where it is left out. */
  target: string | undefined;
  title: string | undefined;
  isDraft: boolean;
  /** One for each wave. */
  isStack: boolean;
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
  | {
      kind: 'opened' | 'updated';
      request: PullRequest;
      commits: number;
      /** Of a stack, those below it. */
      below: number[];
    }
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

interface Target {
  name: string;
  /** Where it is now. */
  tip: string;
}

async function pushAndOpen(
  project: ProjectPlace,
  run: FoundRun,
  given: { manifest: Manifest; record: BranchRecord; options: RequestOptions },
): Promise<RequestOutcome> {
  const { record, options } = given;
  const { branch, origin } = record;
  await checkBranch(project.root, branch);
  const known = await readRequest(project.stateDir, origin);
  const name = options.target ?? known?.target ?? (await options.forge.defaultBranch());
  const tip = await fetchBranch(project.root, options.remote, name);
  const work = { kind: 'branch' as const, signsOff: false, copies: options.copies };
  const runBranch = { name: branch, base: record.base, origin };
  const { root } = await openBranch(project, run.runId, {
    work: { ...work, branch: runBranch },
    clonesPackages: options.checks.sandbox === undefined,
  });
  try {
    const history = await historyOf(project.stateDir, origin);
    const request = { ...given, project, run, root, known, target: { name, tip }, history };
    return await publish(request, await order(request));
  } finally {
    await leaveBranch({ ...project, git: { ...work, branch: runBranch } }, runBranch);
  }
}

interface Work {
  project: ProjectPlace;
  run: FoundRun;
  manifest: Manifest;
  record: BranchRecord;
  options: RequestOptions;
  /** Of the branch's own folder. */
  root: string;
  target: Target;
  known: RequestRecord | undefined;
  history: BranchHistory;
}

/** Others may have seen it. A process that was killed after its push has not written it down. */
async function isPublished({ root, record, known, options }: Work): Promise<boolean> {
  if (known === undefined) return false;
  if (known.pushed !== null) return true;
  const branches = [...known.parts.map((part) => part.branch), record.branch];
  for (const branch of branches) {
    const there = await remoteTip(root, options.remote, branch);
    if (there !== undefined && known.commits.includes(there)) return true;
  }
  return false;
}

/** What will be pushed, on disk before anything is. */
async function order(request: Work): Promise<RequestRecord> {
  const { project, root, manifest, record, known, target, history, options } = request;
  const { branch } = record;
  const base = await standsOn(root, target.tip, known?.base ?? record.base);
  const wasPublished = await isPublished(request);
  if (wasPublished && options.isStack && known!.parts.length === 0) {
    throw conflictError(
      `${branch} is pushed already, as one request.`,
      [],
      'Leave out --stack: it is for the first time.',
    );
  }
  const waveOf = options.isStack ? wavesOfManifest(manifest) : undefined;
  const { tip } = target;
  const all = { folder: root, branch, target: target.name, tip, known, base, ...history, waveOf };
  const steps = { ...all, onStep: options.onStep };
  const newBase = wasPublished ? await bringUpToDate(steps) : await putInOrder(steps);
  const commits = await commitsSince(project.root, { branch, base: newBase });
  if (commits.length === 0) {
    throw new OrchestratorError({
      code: 'NOTHING_TO_APPLY',
      message: `${branch} has nothing that ${target.name} does not have.`,
    });
  }
  const cut = { base: newBase, branch, rootOf: history.rootOf };
  const next: RequestRecord = {
    v: 1,
    handled: known?.handled ?? [],
    ...(known?.fixing && { fixing: known.fixing }),
    remote: options.remote,
    target: target.name,
    base: newBase,
    commits: [...new Set([...(known?.commits ?? []), ...commits])],
    pushed: known?.pushed ?? null,
    number: known?.number ?? null,
    url: known?.url ?? null,
    parts: wasPublished ? known!.parts : waveOf ? await partsOf(root, { ...cut, waveOf }) : [],
  };
  await writeRequest(project.stateDir, record.origin, next);
  return next;
}

async function publish(request: Work, next: RequestRecord): Promise<RequestOutcome> {
  const { project, run, root, manifest, record, target, history, options } = request;
  const { branch, origin } = record;
  const { forge, remote, onStep } = options;
  const { base, commits } = next;
  const commit = (await git(root, ['rev-parse', 'HEAD'])).trim();
  const place = { ...options.checks, root, packagesFrom: project.root };
  const { checks, failed } = await checkStreams(manifest, place);
  if (failed !== undefined) return { kind: 'check_failed', failed };
  const question = { manifest, branch, target: target.name, base, commit, root, run, options };
  const denial = await askToPush(question);
  if (denial !== undefined) return { kind: 'denied', why: denial };
  // A part that was taken may be gone over there, and stays so.
  const isFirst = next.pushed === null;
  for (const part of isFirst ? next.parts : []) {
    await pushCommits(root, { remote, ...part, commits, onStep });
  }
  await pushCommits(root, { remote, branch, commit, commits, onStep });
  next.pushed = commit;
  const save = () => writeRequest(project.stateDir, origin, next);
  await save();
  const text = {
    checks,
    runId: run.runId,
    runUrl: options.runUrl,
    ...history,
    template: readTemplate(root, forge.kind),
    longest: forge.longestBody,
  };
  const streams = describedStreams(manifest, run);
  const opened = await openRequests(options, { next, branch, manifest, streams, text, save });
  const made = await commitsSince(project.root, { branch, base });
  const below = next.parts.flatMap(({ number }) => number ?? []);
  return { ...opened, commits: made.length, below };
}

function describedStreams(manifest: Manifest, run: FoundRun): DescribedStream[] {
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
