// What stops work with the runs of a project, as data: the code that shows it to a user adds the
// command to type next.

export type OrchestratorErrorCode =
  | 'NO_SUCH_FOLDER'
  | 'RUN_NOT_FOUND'
  | 'AMBIGUOUS_ID'
  | 'UNKNOWN_STREAM'
  | 'NO_COPY'
  | 'RUN_LOCKED'
  | 'STATE_FOLDER_UNUSABLE'
  | 'GIT_NOT_READY'
  | 'CONFLICT'
  | 'NOTHING_TO_APPLY'
  | 'RUN_NOT_RUNNING'
  | 'NOT_STOPPED'
  | 'EXECUTION_NOT_FOUND'
  | 'EXECUTION_NOT_COMPLETE'
  | 'ARTIFACT_REJECTED'
  | 'NO_API_KEY'
  | 'NO_SERVER';

/** What was asked was right, but cannot be done as things are. */
const FAILURES: ReadonlySet<OrchestratorErrorCode> = new Set<OrchestratorErrorCode>([
  'CONFLICT',
  'RUN_NOT_RUNNING',
  'NOT_STOPPED',
  'NO_COPY',
  'EXECUTION_NOT_COMPLETE',
  'ARTIFACT_REJECTED',
]);

export class OrchestratorError extends Error {
  readonly code: OrchestratorErrorCode;
  /** Ids or paths that the error is about, or that were to choose from. */
  readonly items: readonly string[];
  /** What to do, where that is not a command. */
  readonly hint: string | undefined;

  constructor(problem: {
    code: OrchestratorErrorCode;
    message: string;
    items?: readonly string[];
    hint?: string;
  }) {
    super(problem.message);
    this.name = 'OrchestratorError';
    this.code = problem.code;
    this.items = problem.items ?? [];
    this.hint = problem.hint;
  }

  get exit(): 'usage' | 'failed' {
    return FAILURES.has(this.code) ? 'failed' : 'usage';
  }
}
