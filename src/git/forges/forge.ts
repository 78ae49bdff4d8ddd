// What hosts of repositories have in common: requests to take a branch, with checks and reviews.

export type ForgeKind = 'github' | 'gitlab';

export interface PullRequest {
  number: number;
  url: string;
  title: string;
  state: 'open' | 'closed' | 'merged';
  isDraft: boolean;
  /** The branch that others should take, and the commit it is at over there. */
  head: string;
  commit: string;
  /** The branch that takes it. */
  base: string;
}

export interface NewPullRequest {
  head: string;
  base: string;
  title: string;
  body: string;
  isDraft: boolean;
}

export interface Check {
  name: string;
  state: 'running' | 'passed' | 'failed';
  url: string | undefined;
}

export interface Forge {
  kind: ForgeKind;
  /** What it calls a request. */
  word: string;
  /** The most characters of a description. */
  longestBody: number;
  defaultBranch(): Promise<string>;
  /** The open one of this branch. */
  find(head: string): Promise<PullRequest | undefined>;
  get(number: number): Promise<PullRequest>;
  /** Finds the one that is there when another process was quicker. */
  open(request: NewPullRequest): Promise<PullRequest>;
  update(number: number, change: { title?: string; body: string }): Promise<PullRequest>;
  askReviewers(number: number, names: readonly string[]): Promise<void>;
  checks(commit: string): Promise<Check[]>;
}

/** What the person can do about it is in the message. */
export class ForgeError extends Error {
  readonly status: number | undefined;
  readonly hint: string;

  constructor(message: string, { status, hint }: { status?: number | undefined; hint: string }) {
    super(message);
    this.name = 'ForgeError';
    this.status = status;
    this.hint = hint;
  }
}
