// How the processes of one server share its work.
import type { Config } from '../../config/config.ts';

/** As the role of a server: `all` answers requests and runs jobs. */
export type Kind = Config['role'];

/** What one process is for. */
export interface ProcessSpec {
  kind: Kind;
  /** From 1, among those of its kind. */
  number: number;
  /** Jobs that it runs at the same time; 0 for one without a worker. */
  slots: number;
}

/**
 * One slot of eight is reserved for users with no running jobs. A worker with fewer would reserve none,
 * or more than its share.
 */
const LEAST_SLOTS = 8;

/** Several processes can listen on one port (and get their share of connections) only here. */
export const CAN_SHARE_PORT = process.platform === 'linux';

type Asked = Pick<Config, 'role' | 'processes' | 'slots'>;

/** Whether processes of this kind answer on the port of a server with this role. */
export function listens(role: Config['role'], kind: Kind): boolean {
  return role === 'worker' ? kind === 'worker' : kind !== 'worker';
}

/**
 * Each process does everything, because a job that is run where it was accepted takes one transaction
 * less. What has no slots to run jobs in answers requests.
 */
function kindsOf({ role, processes, slots }: Asked, canSharePort: boolean): Kind[] {
  const kinds = (count: number, kind: Kind) => Array.from({ length: count }, () => kind);
  if (role === 'api') return kinds(canSharePort ? processes : 1, 'api');
  const workers = Math.min(processes, Math.max(1, Math.floor(slots / LEAST_SLOTS)));
  if (role === 'worker') return kinds(workers, 'worker');
  if (!canSharePort) return ['all', ...kinds(workers - 1, 'worker')];
  return [...kinds(workers, 'all'), ...kinds(processes - workers, 'api')];
}

export function splitProcesses(
  config: Asked,
  canSharePort = CAN_SHARE_PORT,
): readonly ProcessSpec[] {
  const kinds = kindsOf(config, canSharePort);
  const workers = kinds.filter((kind) => kind !== 'api').length;
  const share = (index: number) => Math.floor((config.slots + index) / workers);
  return kinds.map((kind, index) => ({
    kind,
    number: kinds.slice(0, index + 1).filter((each) => each === kind).length,
    // Those with slots come first.
    slots: kind === 'api' ? 0 : share(index),
  }));
}

/** Such as `2 all, 1 api`. */
export function describePlaces(specs: readonly ProcessSpec[]): string {
  const byKind = Map.groupBy(specs, ({ kind }) => kind);
  return [...byKind].map(([kind, { length }]) => `${length} ${kind}`).join(', ');
}
