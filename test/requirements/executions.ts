import { rules } from './rules.ts';

export const EXECUTION_RULES = [
  ...rules('interface 2.6', 'executions', {
    'execution.fields.created': 'The creation reply is {id, status, createdAt, statusUrl}.',
    'execution.fields.status': 'The status reply has id, status, progress, result and metrics.',
    'execution.status-url': 'statusUrl is the relative path of the status resource.',
    'execution.progress': 'progress is {current, total}.',
    'execution.result': 'result is {success, artifacts, summary}.',
    'execution.metrics': 'metrics is {duration in ms, tokensUsed}.',
  }),
  ...rules('interface 3.2', 'executions', {
    'execution.status.initial': 'A new execution is running.',
  }),
  ...rules('interface 4.2', 'executions', {
    'execution.create.route': 'POST /v1/executions takes task, context and options.',
    'execution.get.route': 'GET /v1/executions/:id answers with the state of one execution.',
    'execution.list.route': 'GET /v1/executions lists executions.',
    'execution.list.limit': 'limit is 50 when left out and at most 100.',
    'execution.list.status': 'The list can be narrowed by status.',
    'execution.list.before': 'before is a cursor for the next page.',
    'execution.cancel.route': 'POST /v1/executions/:id/cancel needs no body.',
  }),
  ...rules('interface 5', 'executions', {
    'execution.auth': 'The executions API takes Authorization: Bearer with an API key.',
  }),
  ...rules('interface 7', 'executions', {
    'execution.errors': 'It answers 401, 402, 403, 429 and 500 in the cases the job API does.',
  }),
  ...rules('decisions 2', 'executions', {
    'execution.create.accepted': 'POST /v1/executions answers 202 with Location.',
  }),
  ...rules('decisions 7', 'executions', {
    'execution.plan': 'The model plans the task into at most maxSteps streams of notation B.',
    'execution.order': 'They run in dependency order, independent ones in parallel.',
    'execution.task': 'Only task is required, with 1 to 100000 characters.',
    'execution.defaults':
      'files are none, environment is default, dryRun is false, maxSteps 10, timeout 600000.',
    'execution.ranges': 'maxSteps is 1 to 200, timeout 1000 to 3600000.',
    'execution.model.default':
      'Without a model: the default of the team, MILLRACE_DEFAULT_MODEL, a simulator that is on, else 400 NO_DEFAULT_MODEL.',
    'execution.create.extras':
      'model, provider, context.contents, options.budgetUsd and options.webhookUrl are optional.',
    'execution.budget':
      'No call is made that could cost more than what is left of budgetUsd, repeated calls included.',
    'execution.max-tokens':
      'options.maxTokens says how long each answer may be; without it the limit of a known model counts, and the provider decides for others.',
    'execution.reasoning': 'options.reasoning says how much the model thinks in each call.',
    'execution.status.values': 'running becomes completed, failed or cancelled.',
    'execution.dry-run': 'A dry run completes with a plan and no artifacts.',
    'execution.result.null': 'result is null until the end.',
    'execution.steps': 'The status reply adds steps and currentStep.',
    'execution.artifacts': 'The items of result.artifacts are artifacts.',
    'execution.list.shape':
      'The list is {items, nextCursor, hasMore, limit}, newest first, and before takes nextCursor.',
    'execution.list.own':
      'mine=true leaves out executions of others; idempotencyKey finds the one of the caller with that key.',
    'execution.cancel.shape': 'Cancel answers 200 {id, cancelled, status, finalState}.',
    'execution.cancel.ended': 'Cancelling an ended execution answers cancelled false.',
    'execution.events': 'GET /v1/executions/:id/events is SSE as for jobs.',
    'execution.paid-once': 'A completed step is never paid for twice, whatever crashes.',
  }),
];

export const TEAM_RULES = [
  ...rules('interface 4.2', 'teams', {
    'teams.one': 'GET and PATCH /v1/teams/:id exist.',
    'teams.members': 'GET and POST /v1/teams/:id/members exist.',
    'teams.member.remove': 'DELETE /v1/teams/:id/members/:userId exists.',
  }),
  ...rules('decisions 8', 'teams', {
    'teams.personal': 'Every user has a personal team, and organizationId is a team id.',
    'teams.roles': 'Roles are owner, admin, member and viewer.',
    'teams.list-create': 'GET and POST /v1/teams exist.',
    'teams.fields': 'A team has id, name, slug, tier, role, memberCount, createdAt and settings.',
    'teams.patch': 'Admins and owners may change name and settings.',
    'teams.members.shape':
      'Members are {items, total}; an item has userId, email, name, role, status and joinedAt.',
    'teams.members.add':
      'Adding {email or userId, role} invites and is 201, or 409 when already in.',
    'teams.invitations.mailbox':
      'Where mail is sent, the link of an invitation goes to the mailbox alone.',
    'teams.api-keys': 'Owners list every key that acts in the team, and revoke those made for it.',
    'teams.members.remove-shape': 'Removing answers {removed: true, userId}.',
    'teams.gone': 'Nothing is submitted to a deleted team, or by somebody who was removed from it.',
    'teams.members.last-owner': 'The last owner cannot be removed (409); leaving is allowed.',
  }),
  ...rules('interface 4.2', 'usage', {
    'usage.current': 'GET /v1/usage/current exists.',
    'usage.history': 'GET /v1/usage/history?month=YYYY-MM exists.',
  }),
  ...rules('decisions 8', 'usage', {
    'usage.current.shape':
      'It has period, bounds, tier, runs, tokens, costUsd, executions, rateLimit and budget.',
    'usage.history.shape': 'It has month, totals, days and byModel.',
    'usage.history.bad-month': 'A month that cannot be read is 400.',
    'usage.history.empty': 'A month without use is zeros.',
    'usage.history.csv': 'A month is one CSV table on request; no cell of it runs as a formula.',
    'usage.unknown-price': 'Unknown prices are told as such, with the jobs and calls they concern.',
    'usage.recorded': 'Recorded runs are shown apart, and once however often they are recorded.',
    'usage.prices': 'Any caller gets the prices of models, null where they are not known.',
    'usage.access': 'Usage is for members of the team, with a key that has the scope billing.',
  }),
  ...rules('decisions 14', 'usage', {
    'usage.simulated':
      'Simulated cost is shown apart and counts toward no spend, budget, cap or reservation.',
    'usage.budget':
      'What a team spends and has reserved never passes settings.budgetUsd when a job is accepted.',
    'usage.budget.refused':
      'A job that does not fit is 402 QUOTA_EXCEEDED with the budget and its reset in details.',
    'usage.budget.settled': 'What is reserved is settled by the real cost, however a job ends.',
    'usage.budget.unknown-price': 'Under a budget, a model without a known price is refused.',
    'usage.budget.executions':
      "An execution whose next step does not fit the team's budget ends with BUDGET_EXCEEDED.",
  }),
  ...rules('interface 4.2', 'billing', {
    'billing.subscription': 'GET and POST /v1/billing/subscription exist.',
  }),
  ...rules('decisions 8', 'billing', {
    'billing.shape':
      'A subscription has tier, status, seats, its period, cancelAtPeriodEnd, quota and provider manual.',
    'billing.change': 'Only the owner may change tier, seats and cancelAtPeriodEnd; 200.',
    'billing.enterprise': 'Changing to enterprise this way is 400.',
    'billing.stripe.checkout': 'A first paid plan returns a checkoutUrl; Stripe puts it in force.',
    'billing.stripe.change': 'A paid plan is raised at once, lowered and canceled at period end.',
    'billing.stripe.status': 'past_due keeps the tier; unpaid and canceled end with the period.',
    'billing.stripe.signature': 'An event of Stripe needs its signature, at most 5 minutes old.',
    'billing.stripe.foreign': 'An event about another team or customer upgrades nobody.',
    'billing.stripe.any-order':
      'Events end in the same state in any order, with duplicates and gaps.',
    'billing.stripe.down': 'Without Stripe a change is 503 and leaves nothing half-written.',
  }),
];

export const WEBHOOK_RULES = [
  ...rules('interface 6', 'webhooks', {
    'webhooks.events':
      'Events are execution.started, .step_completed, .completed, .failed and .cancelled.',
    'webhooks.formats':
      'A webhook may have its events as messages of Slack or Teams: bounded, escaped, signed as sent, with a link that answers nothing.',
    'webhooks.payload': 'A payload is {event, timestamp, data: {executionId, status, result}}.',
  }),
  ...rules('decisions 14', 'webhooks', {
    'webhooks.budget-events':
      'usage.budget_warning and usage.budget_exceeded are sent once a team, month and limit.',
  }),
  ...rules('decisions 10', 'webhooks', {
    'webhooks.create':
      'POST /v1/webhooks {url, events, description?} answers 201 with the secret, shown once.',
    'webhooks.manage': 'Webhooks can be listed, read, changed and deleted.',
    'webhooks.rotate-secret': 'After rotate-secret the old secret signs too for 24 hours.',
    'webhooks.test': 'POST /v1/webhooks/:id/test sends a test event.',
    'webhooks.deliveries': 'Deliveries are listed, and redeliver answers 202.',
    'webhooks.signature':
      'Deliveries are signed by the Standard Webhooks rules in webhook-id, -timestamp and -signature.',
    'webhooks.retries':
      'Tries come at once and after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, with jitter.',
    'webhooks.timeout': 'A delivery has 15 seconds.',
    'webhooks.success': 'Any 2xx is success; redirects are not followed.',
    'webhooks.gone': 'A 410 disables the webhook.',
    'webhooks.retry-after': 'Retry-After of a 429 or 503 is honoured.',
    'webhooks.at-least-once': 'Every event arrives at least once.',
    'webhooks.sequence': 'data.sequence orders the events of one execution.',
    'webhooks.data': 'data of each event carries what that event is about.',
    'webhooks.targets': 'Only public addresses are called, checked on the connection itself.',
    'webhooks.private-targets': 'MILLRACE_ALLOW_PRIVATE_TARGETS=true lifts that for development.',
  }),
];
