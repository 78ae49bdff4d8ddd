// What runs ask a person before they act.
import type {
  Approval,
  ApprovalPage,
  ApprovalStatus,
  NewApproval,
  ResolveApprovalRequest,
} from '../contract/approval-api.ts';
import { part } from './calls.ts';
import type { CallOptions, Calls } from './calls.ts';

export type { NewApproval } from '../contract/approval-api.ts';

export interface ApprovalFilter {
  status?: ApprovalStatus;
  runId?: string;
  limit?: number;
  before?: string;
}

export interface ApprovalsApi {
  /** What the run has asked before, and what is open or approved, is returned again. */
  create(body: NewApproval, options?: CallOptions): Promise<Approval>;
  /** Newest first. */
  list(filter?: ApprovalFilter, options?: CallOptions): Promise<ApprovalPage>;
  /** With `waitSeconds`: when it is answered, or after this time. */
  get(id: string, options?: CallOptions & { waitSeconds?: number }): Promise<Approval>;
  /** Counts once: a second answer is a MillraceError with status 409 and the name of the first. */
  resolve(id: string, body: ResolveApprovalRequest, options?: CallOptions): Promise<Approval>;
  /** Nobody waits for the answer any more. */
  withdraw(id: string, options?: CallOptions): Promise<Approval>;
}

const APPROVALS = '/v1/approvals';

export function approvalsApi({ get, send }: Calls): ApprovalsApi {
  const at = (id: string, rest = '') => `${APPROVALS}/${part(id)}${rest}`;
  return {
    create: (body, options) => send('POST', APPROVALS, options, body),
    list: (filter, options) => get(APPROVALS, options, filter),
    get: (id, options) => get(at(id), options, { wait: options?.waitSeconds }),
    resolve: (id, body, options) => send('POST', at(id, '/resolve'), options, body),
    withdraw: (id, options) => send('POST', at(id, '/withdraw'), options),
  };
}
