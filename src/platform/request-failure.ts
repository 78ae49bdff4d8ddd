// Why a call to a user's URL failed, in words that may be shown. Messages of the system are not
// shown: they hold the address that a name resolved to.

const BY_CODE: Record<string, string> = {
  BLOCKED_TARGET: 'The URL does not lead to a public address',
  ENOTFOUND: 'The host name cannot be resolved',
  ENODATA: 'The host name cannot be resolved',
  EAI_AGAIN: 'The host name cannot be resolved at the moment',
  ETIMEOUT: 'The name servers of the host name did not answer',
  ESERVFAIL: 'The name servers of the host name answered with a failure',
  ECONNREFUSED: 'The connection was refused',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
  ETIMEDOUT: 'The connection could not be made in time',
  UND_ERR_CONNECT_TIMEOUT: 'The connection could not be made in time',
  ECONNRESET: 'The connection was closed before the answer was complete',
  EPIPE: 'The connection was closed before the answer was complete',
  UND_ERR_SOCKET: 'The connection was closed before the answer was complete',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The answer is shorter or longer than it says',
};

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|HOSTNAME_MISMATCH|CRL/;
const TLS = /^(ERR_SSL|ERR_TLS|EPROTO)/;

/** The first code in a chain of causes and of errors for each address that was tried. */
function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'HTTPParserError') return 'HPE_INVALID';
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0]);
  }
  return '';
}

export function failureText(error: unknown): string {
  const code = codeOf(error);
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'The answer is not valid HTTP';
  if (CERTIFICATE.test(code)) return `The certificate of the host is not valid (${code})`;
  if (TLS.test(code)) return `A secure connection could not be made (${code})`;
  return /^[A-Z0-9_]{1,60}$/.test(code) ? `The request failed (${code})` : 'The request failed';
}
