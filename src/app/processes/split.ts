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

function countsOf({ role, processes, slots }: Pick<Config, 'role' | 'processes' | 'slots'>) {
  const apis = role === 'worker' ? 0 : role === 'api' ? processes : apisOf(processes);
  const most = Math.max(1, Math.floor(slots / LEAST_SLOTS));
  return { apis, workers: Math.min(processes - apis, most) };
}

export function splitProcesses(
  config: Pick<Config, 'role' | 'processes' | 'slots'>,
): readonly Place[] {
  const { apis, workers } = countsOf(config);
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
