// How the processes of one server share its work.
import type { Config } from '../../config.ts';

export type Kind = 'api' | 'worker';

/** What one process is for. */
export interface Place {
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

/** Reading the answer of a model as it comes costs more than the requests around it. */
function apisOf(processes: number): number {
  return Math.ceil(processes / 3);
}

/** Several processes can listen on one port (and get their share of connections) only here. */
export const CAN_SHARE_PORT = process.platform === 'linux';

type Asked = Pick<Config, 'role' | 'processes' | 'slots'>;

function countsOf({ role, processes, slots }: Asked, canSharePort: boolean) {
  const wanted = role === 'worker' ? 0 : role === 'api' ? processes : apisOf(processes);
  const apis = canSharePort ? wanted : Math.min(wanted, 1);
  const most = Math.max(1, Math.floor(slots / LEAST_SLOTS));
  return { apis, workers: role === 'api' ? 0 : Math.min(processes - apis, most) };
}

export function splitProcesses(config: Asked, canSharePort = CAN_SHARE_PORT): readonly Place[] {
  const { apis, workers } = countsOf(config, canSharePort);
  const share = (index: number) => Math.floor((config.slots + index) / workers);
  return [
    ...Array.from({ length: apis }, (_, index) => ({
      kind: 'api' as const,
      number: index + 1,
      slots: 0,
    })),
    ...Array.from({ length: workers }, (_, index) => ({
      kind: 'worker' as const,
      number: index + 1,
      slots: share(index),
    })),
  ];
}

/** Such as `1 api, 2 worker`. */
export function describePlaces(places: readonly Place[]): string {
  const counts = (['api', 'worker'] as const).map(
    (kind) => [kind, places.filter((place) => place.kind === kind).length] as const,
  );
  return counts
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}
