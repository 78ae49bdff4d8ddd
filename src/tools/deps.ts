// What the tools work with. The process of a user's machine has a workspace; a server that offers the
// same tools over HTTP has none.
import type { MillraceClient } from '../client/index.ts';
import type { ProjectPlace } from '../orchestrator/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Attempts } from './attempts.ts';
import type { OpenCalls } from './open-calls.ts';

export interface Workspace extends ProjectPlace {
  /** Entries that may be sent although their names look like secrets. */
  allowed: readonly string[];
  /** For the user to type. */
  applyCommand(executionId: string): string;
  /** What a manifest would run, as `millrace plan --json` prints it; where that is known. */
  makePlan?(text: string): Promise<object>;
}

export interface ToolSettings {
  /** Whether results are written into the workspace: after a command, at once, or never. */
  apply: 'ask' | 'auto' | 'never';
  model: string | undefined;
  /** How long a call waits for the end; undefined follows what is known of the client. */
  softDeadlineMs: number | undefined;
  /** What the end of a call by the client does to its execution; undefined follows the reason. */
  onAbort: 'detach' | 'cancel' | undefined;
  /** A server that is away is waited for; unless it is the one that offers the tools. */
  waitsForServer: boolean;
  heartbeatMs: number;
  /** What takes longer is answered with a handle, where the client takes one. */
  taskAfterMs: number;
  /** How long past its deadline a call waits for an answer of the user. */
  answerGraceMs: number;
  /** A no that comes sooner is the host's own: nobody can have read the question. */
  atOnceMs: number;
}

export const DEFAULT_TOOL_SETTINGS: ToolSettings = {
  apply: 'ask',
  model: undefined,
  softDeadlineMs: undefined,
  onAbort: undefined,
  waitsForServer: true,
  heartbeatMs: 5000,
  taskAfterMs: 1500,
  answerGraceMs: 10_000,
  atOnceMs: 1000,
};

export interface ToolDeps {
  version: string;
  /** Asked for each call: a server may have to be found, or started, first. */
  connect(): Promise<MillraceClient>;
  workspace: Workspace | undefined;
  clock: Clock;
  settings: ToolSettings;
  /** Where the user can open pages; nobody may know. */
  dashboardUrl?(): Promise<string | undefined>;
  /** For the user to type; as an installation has it, where the user's machine is not known. */
  commandLine?(...words: string[]): string;
  /** Where the process does not last from one call to the next; otherwise it remembers by itself. */
  attempts?: Attempts;
  /** For a process that ends: what it still has to wait for. */
  openCalls?: OpenCalls;
}

/** Of one connection. */
export interface SessionDeps extends ToolDeps {
  attempts: Attempts;
}
