// Codes of jobs that failed by a fault of the vendor or of the way to it, which is over at some time.
export const PASSING_PROVIDER_CODES = [
  'PROVIDER_RATE_LIMIT',
  'PROVIDER_OVERLOADED',
  'PROVIDER_UPSTREAM',
  'PROVIDER_NETWORK',
  'PROVIDER_INTERRUPTED',
  'PROVIDER_PROTOCOL',
] as const;

/** Of a step of an execution: an earlier attempt used what the budget had set aside for the call. */
export const RESERVE_USED_CODE = 'RESERVE_USED';
