/** The schema cannot be brought up to date; the message says what to do. */
export class MigrationError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MigrationError';
  }
}

/** Made by a checkout from before the first release, whose migrations are not among ours. */
export class SchemaTooOldError extends MigrationError {
  constructor(found: number) {
    super(
      `This database was made by a checkout from before the first release of Millrace (schema version ${found}), and its ` +
        'data cannot be carried over: use an empty database, or another data folder (MILLRACE_DATA_DIR).',
    );
    this.name = 'SchemaTooOldError';
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
