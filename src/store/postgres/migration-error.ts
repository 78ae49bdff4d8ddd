/** The schema cannot be brought up to date; the message says what to do. */
export class MigrationError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MigrationError';
  }
}

export class SchemaTooNewError extends MigrationError {
  constructor(found: number, known: number) {
    super(
      `The database schema is at version ${found}, but this release of Millrace knows versions up ` +
        `to ${known}. A newer release has upgraded it: run that release or a later one, or restore ` +
        'a backup from before the upgrade.',
    );
    this.name = 'SchemaTooNewError';
  }
}
