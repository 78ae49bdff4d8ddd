// The same call with the typed client and on the command line, by operation. `BODY` stands for the example of
// the request; an operation that has no such call is not in the table.

interface ClientExample {
  /** A call of `MillraceClient`. */
  client?: string;
  /** What follows `millrace`. */
  command?: string;
}

export const CLIENT_EXAMPLES: Readonly<Record<string, ClientExample>> = {
  execute: {
    client: 'execute(BODY)',
    command: "job run --model sim-fast --prompt 'Say hello'",
  },
  getJob: { client: "getJob('JOB_ID', { waitSeconds: 30 })", command: 'job get JOB_ID --wait 30s' },
  cancelJob: { client: "cancelJob('JOB_ID')", command: 'job cancel JOB_ID' },
  followJob: { client: "jobEvents('JOB_ID')" },
  listExecutions: { client: 'executions.list()', command: 'exec list' },
  createExecution: { client: 'executions.create(BODY)', command: "exec 'Add a dark mode'" },
  getExecution: { client: "executions.get('EXECUTION_ID')", command: 'exec get EXECUTION_ID' },
  runPlan: { client: "executions.runPlan('EXECUTION_ID')", command: 'exec start EXECUTION_ID' },
  cancelExecution: {
    client: "executions.cancel('EXECUTION_ID')",
    command: 'exec cancel EXECUTION_ID',
  },
  listRuns: { client: 'listRuns({ limit: 20 })', command: 'history --limit 20' },
  getRun: { client: "getRun('RUN_ID')", command: 'history RUN_ID' },
  recordRun: { client: "recordRun('RUN_ID', BODY)" },
  getRunChanges: { client: "getRunChanges('RUN_ID')" },
  cancelRun: { client: "cancelRun('RUN_ID')" },
  listProviderKeys: { client: 'listProviderKeys()', command: 'keys list' },
  storeProviderKey: { client: 'storeProviderKey(BODY)', command: 'keys add anthropic' },
  testProviderKey: { client: "testProviderKey('anthropic')", command: 'keys test anthropic' },
  deleteProviderKey: { client: "deleteProviderKey('anthropic')", command: 'keys rm anthropic' },
  listApiKeys: { client: 'apiKeys.list()', command: 'api-keys list' },
  createApiKey: { client: 'apiKeys.create(BODY)', command: 'api-keys create ci --scopes jobs' },
  rotateApiKey: { client: "apiKeys.rotate('KEY_ID')", command: 'api-keys rotate KEY_ID' },
  revokeApiKey: { client: "apiKeys.revoke('KEY_ID')", command: 'api-keys revoke KEY_ID' },
  listWebhooks: { client: 'webhooks.list()', command: 'webhooks list' },
  createWebhook: {
    client: 'webhooks.create(BODY)',
    command: 'webhooks add https://example.com/hooks/millrace',
  },
  getWebhook: { client: "webhooks.get('WEBHOOK_ID')" },
  updateWebhook: { client: "webhooks.update('WEBHOOK_ID', { status: 'paused' })" },
  deleteWebhook: { client: "webhooks.remove('WEBHOOK_ID')", command: 'webhooks rm WEBHOOK_ID' },
  rotateWebhookSecret: { client: "webhooks.rotateSecret('WEBHOOK_ID')" },
  testWebhook: { client: "webhooks.test('WEBHOOK_ID')", command: 'webhooks test WEBHOOK_ID' },
  listWebhookDeliveries: {
    client: "webhooks.deliveries('WEBHOOK_ID')",
    command: 'webhooks deliveries WEBHOOK_ID',
  },
  redeliverWebhook: {
    client: "webhooks.redeliver('WEBHOOK_ID', 'DELIVERY_ID')",
    command: 'webhooks resend WEBHOOK_ID DELIVERY_ID',
  },
  getMe: { client: 'me()', command: 'whoami' },
  exportAccount: { client: 'exportAccount()', command: 'account export' },
  listTeams: { client: 'teams.list()', command: 'team list' },
  createTeam: { client: 'teams.create(BODY)', command: 'team create Platform' },
  getTeam: { client: "teams.get('TEAM_ID')" },
  updateTeam: {
    client: "teams.update('TEAM_ID', { settings: { budgetUsd: 200 } })",
    command: 'team update --budget 200',
  },
  deleteTeam: { client: "teams.remove('TEAM_ID')" },
  exportTeam: { client: "teams.export('TEAM_ID')", command: 'account export --team platform' },
  listMembers: { client: "teams.members('TEAM_ID')", command: 'team members' },
  addMember: {
    client: "teams.addMember('TEAM_ID', { email: 'jane@example.com', role: 'member' })",
    command: 'team invite jane@example.com --role member',
  },
  getCurrentUsage: { client: 'usage.current()', command: 'usage' },
  getUsageHistory: {
    client: "usage.history({ month: '2026-11' })",
    command: 'usage --month 2026-11',
  },
  getSubscription: { client: 'billing.subscription()', command: 'billing' },
  changeSubscription: { client: 'billing.change(BODY)', command: 'billing change pro --seats 5' },
  openBillingPortal: { client: 'billing.portal()', command: 'billing portal' },
  listAuditEvents: {
    client: "audit.list({ action: 'member.*' })",
    command: "audit --action 'member.*'",
  },
  listServerUsers: { command: 'admin users' },
  listServerTeams: { command: 'admin teams' },
};

export function typescriptOf(
  operationId: string,
  { baseUrl, body }: { baseUrl: string; body: unknown },
): string | undefined {
  const client = CLIENT_EXAMPLES[operationId]?.client;
  if (client === undefined) return undefined;
  const call = `millrace.${client.replace('BODY', () => JSON.stringify(body ?? {}, null, 2))}`;
  return [
    `import { MillraceClient } from 'millrace/client';`,
    '',
    `const millrace = new MillraceClient('${baseUrl}', 'YOUR_API_KEY');`,
    operationId === 'followJob'
      ? `for await (const event of ${call}) console.log(event);`
      : `console.log(await ${call});`,
  ].join('\n');
}

export function commandOf(operationId: string): string | undefined {
  const command = CLIENT_EXAMPLES[operationId]?.command;
  return command === undefined ? undefined : `millrace ${command}`;
}
