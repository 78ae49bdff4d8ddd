export type BackupProblem =
  | 'BACKUP_DAMAGED'
  | 'BACKUP_TOO_NEW'
  | 'BACKUP_TOO_OLD'
  | 'DATABASE_EMPTY'
  | 'DATABASE_NOT_EMPTY'
  | 'DATABASE_IN_USE'
  | 'RESTORE_DIFFERS';

/** A backup that cannot be made or restored; nothing was changed. The message says what to do. */
export class BackupError extends Error {
  readonly code: BackupProblem;
  readonly exit = 'failed';

  constructor(code: BackupProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'BackupError';
    this.code = code;
  }
}
