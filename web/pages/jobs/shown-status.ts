interface State {
  status: string;
  errorCode: string | null;
}

/** A cancelled job is a failed one to programs; a person did not see anything fail. */
export function shownStatus({ status, errorCode }: State): string {
  if (status === 'failed' && errorCode === 'CANCELLED') return 'cancelled';
  return status === 'pending' ? 'queued' : status;
}
