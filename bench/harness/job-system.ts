// What runs jobs and can be driven by the job client: Millrace, or something else that does the same.
import type { JobProtocol } from './job-client.ts';

export interface JobSystem {
  name: string;
  url: string;
  protocol: JobProtocol;
  /** Its processes, each with all below it: what they use is the cost of its jobs. */
  pids(): number[];
  stop(): Promise<void>;
  /** Of its jobs a second, the share that Millrace is to reach, by clients. */
  goal?: Readonly<Record<number, number>>;
}

/** Thrown when a system is not installed; the message says what to install. */
export class NotInstalled extends Error {}
