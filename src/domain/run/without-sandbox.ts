/** Of a run whose agents can do whatever the person can: the same in every view. */
export const WITHOUT_SANDBOX = 'agents without a sandbox';
