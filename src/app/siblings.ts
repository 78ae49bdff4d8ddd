// What a process has from its siblings, when a server runs in several.
import type { MetricsJson } from '../platform/metrics.ts';
import type { SignalLink } from '../store/postgres/signals.ts';
import type { DatabaseAddress } from './prepare-database.ts';

export interface Siblings {
  /** Started and brought up to date before any of them. */
  database: DatabaseAddress;
  /** The same for all: they ignore each other's NOTIFYs, because the link brings them sooner. */
  originId: string;
  link: SignalLink;
  /** Proves to commands on this machine whose server this is; none with one's own database. */
  markSecret: string | undefined;
  /** Why the server as a whole is not ready, if it is not. */
  notReady(): string | undefined;
  /** The metrics of all processes, this one included. */
  measureAll(): Promise<MetricsJson[]>;
  /** Answers the others. */
  onMeasure(measure: () => Promise<MetricsJson>): void;
}
