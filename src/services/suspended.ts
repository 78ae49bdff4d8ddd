// The refusal that a suspended account, or a member of a suspended team, gets.
import { ServiceError } from '../contract/errors.ts';

export function suspendedError(what: 'account' | 'team'): ServiceError {
  const message = `This ${what} is suspended. Contact the operator of this server.`;
  return new ServiceError('ACCOUNT_SUSPENDED', message);
}
