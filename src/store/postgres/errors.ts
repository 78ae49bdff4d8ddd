// Which database failures mean "not now" and which mean "try the transaction again".

/** Thrown when a session that was asked for something is gone; carries an SQLSTATE of class 08. */
export class ConnectionLostError extends Error {
  readonly code = '08006';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ConnectionLostError';
  }
}

/** The database cannot be used as it is; the message says what to do. */
export class DatabaseUnsuitableError extends Error {
  readonly code = 'DATABASE_UNSUITABLE';
  readonly exit = 'failed';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'DatabaseUnsuitableError';
  }
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

// Beyond classes 08 (connection) and 53 (out of resources): our own statement timeout (57014), a
// server that stops, crashed or still starts (57P01-57P03), sessions the server ended for idling
// (57P05, 25P03), and 25006, which is what writes get after a failover left us on a standby.
const SQL_CODES = new Set(['57014', '57P01', '57P02', '57P03', '57P05', '25P03', '25006']);

// The driver gives these no code, so their wording is all there is.
const DRIVER_MESSAGES = [
  /^Connection terminated/,
  /^timeout expired$/,
  /^timeout exceeded when trying to connect$/,
  /^Query read timeout$/,
  /is not queryable$/,
  /^Cannot use a pool after calling end on the pool$/,
];

export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The database cannot answer right now: callers answer 503 and may try again later. */
export function isUnavailable(error: unknown): boolean {
  return someCause(error, saysUnavailable);
}

/** Whether it holds for the error or for one behind it. */
function someCause(error: unknown, holds: (error: Error) => boolean): boolean {
  // Bounded, because nothing stops a chain of causes from being a ring.
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (holds(current)) return true;
    current = current.cause;
  }
  return false;
}

function saysUnavailable(error: Error): boolean {
  const code = sqlState(error);
  if (code !== undefined) {
    if (NETWORK_CODES.has(code) || SQL_CODES.has(code)) return true;
    if (code.length === 5 && (code.startsWith('08') || code.startsWith('53'))) return true;
    // A unix socket that is not there: the server is down.
    if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return true;
  }
  // A host with several addresses fails with one error for each.
  if (error instanceof AggregateError) return error.errors.some((each) => isUnavailable(each));
  return DRIVER_MESSAGES.some((pattern) => pattern.test(error.message));
}

const CERTIFICATE_CODES = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** The database was reached, but its certificate is not one that the settings accept. */
export function isCertificateRefused(error: unknown): error is Error {
  return error instanceof Error && CERTIFICATE_CODES.has(sqlState(error) ?? '');
}

/** A limit on connections was met: of the server, of a role or database, or of a pooler in front of it. */
export function isOutOfConnections(error: unknown): boolean {
  return someCause(error, (each) => sqlState(each) === '53300');
}

/** The statement was not even looked at: one before it had failed. */
export function isInFailedTransaction(error: unknown): boolean {
  return sqlState(error) === '25P02';
}

/** The unique index of runs: one and the same run was opened by a job and by a record. */
const OPENED_TWICE = 'runs_pkey';

/** Two transactions met and this one lost: running it again from its start is right. */
export function isRetryableConflict(error: unknown): boolean {
  const code = sqlState(error);
  if (code === '23505') return (error as { constraint?: unknown }).constraint === OPENED_TWICE;
  return code === '40001' || code === '40P01';
}

/**
 * May the connection be used again after this error? Only after a plain error answer. Everything
 * else leaves it dead, blocked behind a statement nobody waits for, or (values that could not be
 * sent, plans the server dropped) with prepared names that client and server disagree about.
 */
export function leavesConnectionUsable(error: unknown): boolean {
  if (!(error instanceof Error) || !('severity' in error)) return false;
  return error.severity === 'ERROR' && !isStaleStatement(error);
}

/** A prepared name the server no longer has, or whose result changed shape in a migration. */
export function isStaleStatement(error: unknown): boolean {
  const code = sqlState(error);
  if (code === '26000') return true;
  return code === '0A000' && error instanceof Error && error.message.includes('cached plan');
}
