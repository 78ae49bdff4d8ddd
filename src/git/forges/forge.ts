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

/** What is said in the request about lines of a file, a file, or all of it. */
export interface RequestComment {
  /** By which it is answered. */
  id: string;
  author: string;
  text: string;
  /** What the lines should be instead. */
  suggestion?: string;
  place?: {
    path: string;
    side: 'old' | 'new';
    /** First and last line, from 1; left out if it is about the file. */
    lines?: [number, number];
    /** In which the author saw them. */
    commit: string;
  };
}

/** Said at once; what has become of it is answered at each comment. */
export interface SubmittedReview {
  id: string;
  author: string;
  comments: RequestComment[];
}

export interface FailedCheck {
  name: string;
  url: string | undefined;
  /** The end of what it printed, where the forge has it. */
  log: string | undefined;
}

export interface Forge {
  kind: ForgeKind;
  /** What it calls a request. */
  word: string;
  /** Before its number. */
  sign: string;
  /** The most characters of a description. */
  longestBody: number;
  defaultBranch(): Promise<string>;
  /** The open one of this branch. */
  find(head: string): Promise<PullRequest | undefined>;
  get(number: number): Promise<PullRequest>;
  /** Finds the one that is there when another process was quicker. */
  open(request: NewPullRequest): Promise<PullRequest>;
  update(
    number: number,
    change: { title?: string; body: string; base?: string },
  ): Promise<PullRequest>;
  askReviewers(number: number, names: readonly string[]): Promise<void>;
  checks(commit: string): Promise<Check[]>;
  /** Of those that ended on this commit. */
  failedChecks(commit: string): Promise<FailedCheck[]>;
  /** Those that ask for something: without what is withdrawn or resolved. The oldest first. */
  reviews(number: number): Promise<SubmittedReview[]>;
  /** Whether this user may push to the repository. */
  mayWrite(author: string): Promise<boolean>;
  /** Says below the comment what has become of it. */
  answer(number: number, comment: RequestComment, text: string): Promise<void>;
  /** Says it about the request as a whole. */
  say(number: number, text: string): Promise<void>;
  /** What `answer` and `say` have said there before. */
  said(number: number): Promise<string[]>;
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
