// Safety mechanisms, each with how to take it away and the tests that must notice. The texts are looked for
// exactly: whoever changes such a line meets this list, and keeps it true.

export interface PlantedFault {
  name: string;
  /** What could happen without it. */
  danger: string;
  changes: readonly { file: string; from: string; to: string }[];
  tests: readonly string[];
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: 'fence',
    danger: 'a worker that was given up ends a job that another one has',
    changes: [
      {
        file: 'src/store/jobs/job-outcome.ts',
        from: "(v.fence is null or (j.attempt = v.fence and j.status = 'running'))",
        to: "(v.fence is null or j.status in ('running', 'pending'))",
      },
    ],
    tests: ['test/engine/worker-loss.test.ts', 'test/engine/attempt-sums.test.ts'],
  },
  {
    name: 'sealed-to-its-place',
    danger: 'a sealed key opens in the row of somebody else',
    changes: [
      { file: 'src/platform/envelope.ts', from: '  cipher.setAAD(bound);\n', to: '' },
      { file: 'src/platform/envelope.ts', from: '  decipher.setAAD(bound);\n', to: '' },
    ],
    tests: ['test/keys/sealed-keys.test.ts'],
  },
  {
    name: 'tenant',
    danger: 'a team reads the jobs of another',
    changes: [
      {
        file: 'src/services/access.ts',
        from: 'const { role } = await roleIn(identity, row.teamId);\n      if (role === null)',
        to: "const { role } = { role: 'owner' as Role | null };\n      if (role === null)",
      },
    ],
    tests: ['test/api/identities.test.ts', 'test/api/run-tenants.test.ts'],
  },
  {
    name: 'target-guard',
    danger: 'a webhook reaches what only this machine can reach',
    changes: [
      {
        file: 'src/platform/target-guard.ts',
        from: "return !BLOCKED_IPV4.check(address, 'ipv4');",
        to: 'return true;',
      },
    ],
    tests: ['test/webhooks/target-guard.test.ts'],
  },
  {
    name: 'path',
    danger: 'an answer writes outside of the project',
    changes: [
      {
        file: 'src/domain/artifact/check-path.ts',
        from: 'if (problem !== undefined) return problem;',
        to: '',
      },
    ],
    tests: ['test/unit/check-path.test.ts'],
  },
  {
    name: 'idempotency',
    danger: 'a repeated submit runs, and costs, twice',
    changes: [
      {
        file: 'src/domain/job/submission.ts',
        from: 'const known = state.keys.get(keyOf(submission, idempotency.key));',
        to: 'const known = undefined as { bodyHash: Buffer; jobId: string } | undefined;',
      },
    ],
    tests: ['test/api/idempotency.test.ts'],
  },
  {
    name: 'quota',
    danger: 'a team runs more than its plan has',
    changes: [
      {
        file: 'src/domain/job/submission.ts',
        from: 'counts && limit !== null && team.runsCounted >= limit',
        to: 'counts && limit !== null && team.runsCounted > limit',
      },
    ],
    tests: ['test/api/quota.test.ts'],
  },
  {
    name: 'outbox',
    danger: 'an event is lost, or told of what was rolled back',
    changes: [
      {
        file: 'src/store/executions/execution-rows.ts',
        from: 'if ((await emitEvent(tx, outgoing)) > 0)',
        to: 'setTimeout(() => void emitEvent(tx, outgoing).catch(() => undefined), 50);\n  if (Date.now() > 0)',
      },
    ],
    tests: ['test/webhooks/as-described.test.ts'],
  },
  {
    name: 'scrubber',
    danger: 'a key is in the log',
    changes: [
      {
        file: 'src/platform/log.ts',
        from: 'if (clean.includes(secret)) clean = clean.replaceAll(secret, HIDDEN);',
        to: '',
      },
    ],
    tests: ['test/api/log-scrubbing.test.ts', 'test/keys/leaks.test.ts'],
  },
  {
    name: 'same-origin',
    danger: 'another page acts with the session of whoever visits it',
    changes: [
      {
        file: 'src/http/same-origin.ts',
        from: "return site === 'same-origin' || site === 'none' ? 'same' : 'other';",
        to: "return 'same';",
      },
    ],
    tests: ['test/accounts/security.test.ts'],
  },
  {
    name: 'journal-sync',
    danger: 'after a power cut a run does not know what it has written',
    changes: [{ file: 'src/orchestrator/state/journal.ts', from: '    await sync(fd);\n', to: '' }],
    tests: ['test/orchestrator/journal-sync.test.ts'],
  },
  {
    name: 'budget-reserve',
    danger: 'jobs at the same time spend more than the budget',
    changes: [
      {
        file: 'src/domain/usage/reservation.ts',
        from: '  budget.reservedUsd += amountUsd;\n',
        to: '',
      },
    ],
    tests: ['test/usage/budget.test.ts'],
  },
];
