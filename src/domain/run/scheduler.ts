// Which streams may start now, and what the end of one means for the others. A stream starts as
// soon as what it waits for is over and there is a place for it; waves play no part. Nothing here
// knows about models, files or time: the run loop reports how streams ended.
//
// The states of a stream:
//   pending      Waits. It is ready, and in the heap, once its `deps` are complete (or skipped by the user) and the streams
//                of `after` will write no more. Ready streams start in the order of the longest chain that waits for them,
//                while there are free places and room in their lane, and never beside a running one that they conflict with.
//   in_progress  Was started. It may give up its place before its end (`freePlace`).
//   complete     Its dependents may become ready, and those that it alone had blocked are pending again.
//   failed       Everything that depends on it is blocked. With a fix, a stream of its own, it gets another chance: when
//                the fix is complete, so is what it fixes. Without one the failure is final, and dependents that are
//                optional are skipped.
//   blocked      Behind a failure. Pending again when nothing holds it back any more.
//   skipped      By the user, at any time before it runs, which counts as done; or because of a failure, on which nothing
//                may build.
// A stream returns from in_progress to pending when it is postponed. What is blocked or skipped because of a failure
// follows from what has failed, so it is found anew when a run is resumed. The run is over when nothing runs and nothing
// is ready.
import type { StreamStatus } from '../../manifest/model.ts';
import { createHeap } from '../../manifest/heap.ts';
import { pathLengths } from './path-lengths.ts';

export interface RunStream {
  id: string;
  status: StreamStatus;
  /** Skipped because a stream before it failed, not by the user: nothing may build on it. */
  isSkippedByFailure?: boolean;
  /** A person did not approve it: it stays skipped, and nothing may build on it. */
  isDenied?: boolean;
  /** How often it was started; of a stream that is being fixed, with its fixes. */
  attempts: number;
  optional: boolean;
  deps: readonly string[];
  /** Streams before it that write some of the same files. */
  after: readonly string[];
  /** About how long it takes, in any unit. */
  weight: number;
  /** What it shares with others that are counted together: the model's provider. */
  lane: string;
  /** The stream that it fixes. */
  root?: string;
}

export interface StatusChange {
  id: string;
  from: StreamStatus;
  to: StreamStatus;
  /** The stream whose end made it change. */
  cause: string;
}

export interface SchedulerOptions {
  streams: readonly RunStream[];
  concurrency: number;
  laneLimits?: ReadonlyMap<string, number>;
  /** Whether two streams can write the same file: asked of those that would run together. */
  conflicts?(a: string, b: string): boolean;
}

export interface Scheduler {
  /** Starts everything that can start; their ids, most urgent first. */
  startReady(): string[];
  /** It still runs, but no longer takes a place: another one may start. */
  freePlace(id: string): void;
  complete(id: string): StatusChange[];
  /** With `fix` the stream gets another chance; without one its failure is final. */
  fail(id: string, fix?: Pick<RunStream, 'id'>): StatusChange[];
  /** A person did not approve what it was about to do. */
  deny(id: string): StatusChange[];
  /** Back to waiting for a place; not counted as an attempt when it could not even be tried. */
  postpone(id: string, options?: { isCounted: boolean }): StatusChange[];
  /** A user's choice; counts as done for those that wait for it. */
  skip(id: string): StatusChange[];
  /** How many may run at once from now on. */
  setConcurrency(count: number): void;
  setLaneLimit(lane: string, count: number): void;
  stream(id: string): Readonly<RunStream>;
  statuses(): ReadonlyMap<string, StreamStatus>;
  running(): readonly string[];
  /** Nothing runs and nothing can start any more. */
  isOver(): boolean;
}

interface Node extends RunStream {
  index: number;
  /** Weight of the longest chain that waits for it, itself included. */
  priority: number;
  skippedByUser: boolean;
  openFix: string | undefined;
  dependents: Node[];
  followers: Node[];
  queued: boolean;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const nodes = new Map<string, Node>();
  const ready = createHeap<Node>((a, b) => b.priority - a.priority || a.index - b.index);
  const running = new Map<string, Node>();
  /** Those of the running that take a place. */
  const placed = new Set<Node>();
  const laneLimits = new Map(options.laneLimits);
  let { concurrency } = options;

  function nodeOf(id: string): Node {
    const node = nodes.get(id);
    if (node === undefined) throw new Error(`there is no stream "${id}" in this run`);
    return node;
  }

  function add(stream: RunStream, priority: number): Node {
    const node: Node = {
      ...stream,
      index: nodes.size,
      priority,
      skippedByUser:
        stream.status === 'skipped' && stream.isSkippedByFailure !== true && !stream.isDenied,
      openFix: undefined,
      dependents: [],
      followers: [],
      queued: false,
    };
    nodes.set(stream.id, node);
    return node;
  }

  function connect(node: Node): void {
    for (const dep of node.deps) nodes.get(dep)?.dependents.push(node);
    for (const earlier of node.after) nodes.get(earlier)?.followers.push(node);
  }

  const isSatisfied = (node: Node | undefined) =>
    node === undefined || node.status === 'complete' || node.skippedByUser;

  /** It will not write any more, unless what it waits for is fixed. */
  const isOut = (node: Node | undefined) =>
    node === undefined ||
    node.status === 'complete' ||
    node.status === 'skipped' ||
    node.status === 'blocked' ||
    (node.status === 'failed' && node.openFix === undefined);

  function isReady(node: Node): boolean {
    return (
      node.status === 'pending' &&
      node.deps.every((dep) => isSatisfied(nodes.get(dep))) &&
      node.after.every((earlier) => isOut(nodes.get(earlier)))
    );
  }

  function consider(node: Node): void {
    if (node.queued || !isReady(node)) return;
    node.queued = true;
    ready.push(node);
  }

  function considerAround(node: Node): void {
    node.dependents.forEach(consider);
    node.followers.forEach(consider);
  }

  function move(node: Node, to: StreamStatus, cause: Node, changes: StatusChange[]): void {
    changes.push({ id: node.id, from: node.status, to, cause: cause.id });
    node.status = to;
  }

  /** Everything behind a failed stream stops; what may be left out is, once the failure is final. */
  function block(failed: Node, changes: StatusChange[]): void {
    const isFinal = failed.openFix === undefined;
    const open = [...failed.dependents];
    const seen = new Set<Node>();
    for (let node = open.pop(); node; node = open.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      if (node.status !== 'pending' && node.status !== 'blocked') continue;
      if (isFinal && node.optional) move(node, 'skipped', failed, changes);
      else if (node.status === 'pending') move(node, 'blocked', failed, changes);
      open.push(...node.dependents);
    }
    failed.followers.forEach(consider);
    for (const node of seen) node.followers.forEach(consider);
  }

  const holdsBack = (node: Node | undefined) =>
    node !== undefined &&
    !node.skippedByUser &&
    (node.status === 'failed' || node.status === 'blocked' || node.status === 'skipped');

  /** What was blocked by this one alone waits again. */
  function unblock(done: Node, changes: StatusChange[]): void {
    const open = [...done.dependents];
    for (let node = open.pop(); node; node = open.pop()) {
      if (node.status !== 'blocked') continue;
      if (node.deps.some((dep) => holdsBack(nodes.get(dep)))) continue;
      move(node, 'pending', done, changes);
      consider(node);
      open.push(...node.dependents);
    }
  }

  function satisfied(node: Node, changes: StatusChange[]): StatusChange[] {
    unblock(node, changes);
    considerAround(node);
    return changes;
  }

  function takeRunning(id: string): Node {
    const node = running.get(id);
    if (node === undefined) throw new Error(`the stream "${id}" does not run`);
    running.delete(id);
    placed.delete(node);
    return node;
  }

  const inLane = (lane: string) => {
    let count = 0;
    for (const node of placed) if (node.lane === lane) count += 1;
    return count;
  };

  function hasPlace(node: Node): boolean {
    const limit = laneLimits.get(node.lane);
    if (limit !== undefined && inLane(node.lane) >= limit) return false;
    if (options.conflicts === undefined) return true;
    for (const other of running.keys()) if (options.conflicts(node.id, other)) return false;
    return true;
  }

  function count(node: Node, starts: number): void {
    node.attempts += starts;
    if (node.root !== undefined) nodeOf(node.root).attempts += starts;
  }

  function begin(node: Node): void {
    node.status = 'in_progress';
    count(node, 1);
    running.set(node.id, node);
    placed.add(node);
  }

  function addFix(root: Node, id: string): void {
    const { deps, after, weight, lane, priority } = root;
    const more = { deps, after, weight, lane, optional: false, root: root.id };
    const fix = add({ id, status: 'pending', attempts: 0, ...more }, priority);
    connect(fix);
    root.openFix = id;
    consider(fix);
  }

  /** Without a chance of success. */
  const isOver = (node: Node) => node.status === 'failed' || node.isDenied === true;

  const lengths = pathLengths(options.streams);
  for (const stream of options.streams) add(stream, lengths.get(stream.id)!);
  for (const node of nodes.values()) connect(node);
  for (const node of nodes.values()) {
    // What is held up follows from what has failed, and is found anew.
    const isHeldUp = node.status === 'blocked' || node.status === 'skipped';
    if (isHeldUp && !node.skippedByUser && node.isDenied !== true) node.status = 'pending';
    if (node.root !== undefined && node.status !== 'failed' && node.status !== 'complete') {
      const root = nodes.get(node.root);
      if (root) root.openFix = node.id;
    }
  }
  for (const node of nodes.values()) {
    if (isOver(node) && node.root === undefined) block(node, []);
  }
  for (const node of nodes.values()) consider(node);

  return {
    startReady() {
      const started: string[] = [];
      const held: Node[] = [];
      while (placed.size < concurrency) {
        const node = ready.pop();
        if (node === undefined) break;
        node.queued = false;
        if (!isReady(node)) continue;
        if (!hasPlace(node)) {
          held.push(node);
          continue;
        }
        begin(node);
        started.push(node.id);
      }
      held.forEach(consider);
      return started;
    },
    freePlace(id) {
      const node = running.get(id);
      if (node) placed.delete(node);
    },
    complete(id) {
      const node = takeRunning(id);
      const changes: StatusChange[] = [];
      move(node, 'complete', node, changes);
      satisfied(node, changes);
      if (node.root === undefined) return changes;
      const root = nodeOf(node.root);
      root.openFix = undefined;
      move(root, 'complete', node, changes);
      return satisfied(root, changes);
    },
    fail(id, fix) {
      const node = takeRunning(id);
      const changes: StatusChange[] = [];
      move(node, 'failed', node, changes);
      const root = node.root === undefined ? node : nodeOf(node.root);
      root.openFix = undefined;
      if (fix !== undefined) addFix(root, fix.id);
      // What a review asked for in vain leaves the stream as complete as it was.
      if (root.status !== 'complete') block(root, changes);
      return changes;
    },
    deny(id) {
      const node = takeRunning(id);
      const changes: StatusChange[] = [];
      move(node, 'skipped', node, changes);
      node.isDenied = true;
      const root = node.root === undefined ? node : nodeOf(node.root);
      root.openFix = undefined;
      if (root.status !== 'complete') block(root, changes);
      return changes;
    },
    postpone(id, { isCounted } = { isCounted: true }) {
      const node = takeRunning(id);
      const changes: StatusChange[] = [];
      move(node, 'pending', node, changes);
      if (!isCounted) count(node, -1);
      consider(node);
      return changes;
    },
    skip(id) {
      const node = nodeOf(id);
      const changes: StatusChange[] = [];
      if (node.status === 'complete' || node.status === 'in_progress') return changes;
      node.skippedByUser = true;
      if (node.status !== 'skipped') move(node, 'skipped', node, changes);
      return satisfied(node, changes);
    },
    setConcurrency: (count) => void (concurrency = count),
    setLaneLimit: (lane, count) => void laneLimits.set(lane, count),
    stream: nodeOf,
    statuses: () => new Map([...nodes].map(([id, { status }]) => [id, status])),
    running: () => [...running.keys()],
    isOver() {
      if (running.size > 0) return false;
      for (const node of nodes.values()) if (isReady(node)) return false;
      return true;
    },
  };
}
