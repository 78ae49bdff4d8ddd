// What a process has from its siblings, when a server runs in several.
import type { MetricsJson } from '../platform/metrics.ts';
import type { TextFeed } from '../store/jobs/text-feed.ts';
import type { SignalLink } from '../store/postgres/signals.ts';
import type { PreparedDatabase } from './prepare-database.ts';

/** The same for all of them. */
export interface SharedBySiblings {
  /** Started and brought up to date before any of them. */
  database: PreparedDatabase;
  /** They ignore each other's NOTIFYs, because pipes bring them sooner. */
  originId: string;
  /** Proves to commands on this machine whose server this is; none with one's own database. */
  markSecret: string | undefined;
  /** Several listen on the same port. */
  sharesPort: boolean;
}

export interface Siblings extends SharedBySiblings {
  signals: SignalLink;
  /** Text of jobs that run in one process, for readers in another. */
  shareText(feed: TextFeed): TextFeed;
  /** Why the server as a whole is not ready, if it is not. */
  notReady(): string | undefined;
  /** The metrics of all processes, this one included. */
  measureAll(): Promise<MetricsJson[]>;
  /** Answers the others. */
  onMeasure(measure: () => Promise<MetricsJson>): void;
}
