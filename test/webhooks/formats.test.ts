// Events as messages of a chat: bounded, with nothing of a stranger's text as markup, and a link that opens a page and
// answers nothing.
import { describe, expect, it } from 'vitest';
import { formattedBody } from '../../src/domain/webhook/webhook-format.ts';
import { expectInvalid } from '../support/expect-error.ts';
import { verifies } from '../support/verifies.ts';
import { QUICK, useHookServer } from './hook-server.ts';
import { verifyIndependently } from './receiver.ts';

const PUBLIC = 'https://millrace.example.com';
const hooks = useHookServer({ webhookTimes: QUICK, publicUrl: PUBLIC });

const approval = (more: object = {}, event = 'approval.requested') =>
  JSON.stringify({
    event,
    timestamp: '2026-11-19T10:00:00.000Z',
    data: {
      approvalId: 'apr_1',
      teamId: 'team_1',
      kind: 'changes',
      status: 'open',
      title: 'Write the changes of api: 3 files, +120 -4',
      runId: 'run_1',
      streamId: 'api',
      requestedBy: 'ann@example.com',
      expiresAt: '2026-11-20T10:00:00.000Z',
      path: '/approvals/apr_1',
      ...more,
    },
  });

interface Slack {
  text: string;
  mrkdwn: boolean;
  blocks: { type: string; text?: { type: string; text: string }; elements?: { text: string }[] }[];
}
interface Run {
  text: string;
}
interface Teams {
  type: string;
  attachments: {
    contentType: string;
    content: {
      type: string;
      body: { type: string; inlines: Run[] }[];
      actions?: { type: string; title: string; url: string }[];
    };
  }[];
}
const slack = (body: string, url: string | undefined = PUBLIC) =>
  JSON.parse(formattedBody('slack', body, url)) as Slack;
const teams = (body: string, url: string | undefined = PUBLIC) =>
  (JSON.parse(formattedBody('teams', body, url)) as Teams).attachments[0]!.content;
const runsOf = (card: ReturnType<typeof teams>) =>
  card.body.map(({ inlines }) => inlines.map(({ text }) => text).join(''));

describe('an event for a chat', () => {
  it('is a message of Slack, with a link to its page', () => {
    verifies('webhooks.formats');
    expect(slack(approval())).toEqual({
      text: 'Approval needed: Write the changes of api: 3 files, +120 -4',
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Approval needed', emoji: false } },
        {
          type: 'section',
          text: {
            type: 'plain_text',
            text: 'Write the changes of api: 3 files, +120 -4',
            emoji: false,
          },
        },
        {
          type: 'context',
          elements: [
            'Asked by: ann@example.com',
            'Run: run_1',
            'Stream: api',
            'Until: 2026-11-20T10:00:00.000Z',
          ].map((text) => ({ type: 'plain_text', text, emoji: false })),
        },
        {
          type: 'section',
          text: { type: 'mrkdwn', text: `<${PUBLIC}/approvals/apr_1|Open the question>` },
        },
      ],
    });
  });

  it('is a card of Teams, with a link to its page', () => {
    const whole = JSON.parse(formattedBody('teams', approval(), `${PUBLIC}/`)) as Teams;
    expect(whole.type).toBe('message');
    expect(whole.attachments[0]!.contentType).toBe('application/vnd.microsoft.card.adaptive');
    const card = whole.attachments[0]!.content;
    expect(runsOf(card).slice(0, 2)).toEqual([
      'Approval needed',
      'Write the changes of api: 3 files, +120 -4',
    ]);
    expect(card.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open the question', url: `${PUBLIC}/approvals/apr_1` },
    ]);
  });

  const HOSTILE =
    '<!channel> <https://evil.example|Approve> *bold* [link](https://evil.example) {{DATE()}} & \u202Eevil\u061c\nnext\u0000';
  it('has nothing of a title as markup', () => {
    const message = slack(approval({ title: HOSTILE }));
    const texts = message.blocks.flatMap(({ text, elements }) => [
      ...(text?.type === 'plain_text' ? [text.text] : []),
      ...(elements ?? []).map((each) => each.text),
    ]);
    for (const text of [message.text, ...texts])
      expect(text).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/);
    expect(message.text).toContain('&lt;!channel&gt;');
    expect(JSON.stringify(message)).not.toMatch(/\u202E|\u061C|\\u0000|\\n/);
    // The only markup is a link of ours.
    const marked = message.blocks.filter(({ text }) => text?.type === 'mrkdwn');
    expect(marked.map(({ text }) => text!.text)).toEqual([
      `<${PUBLIC}/approvals/apr_1|Open the question>`,
    ]);
    const card = teams(approval({ title: HOSTILE }));
    expect(new Set(card.body.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']));
    expect(runsOf(card)[1]).toContain('[link](https://evil.example)');
    expect(card.actions).toHaveLength(1);
  });

  it('stays within what a chat takes', () => {
    const long = {
      title: '&'.repeat(100_000),
      runId: 'r'.repeat(10_000),
      requestedBy: '💥'.repeat(9999),
    };
    const body = formattedBody('slack', approval(long), PUBLIC);
    expect(body.length).toBeLessThan(20_000);
    for (const { text } of slack(approval(long)).blocks) {
      if (text !== undefined) expect(text.text.length).toBeLessThanOrEqual(3000);
    }
    expect(body.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(formattedBody('teams', approval(long), PUBLIC))).toBeLessThan(20_000);
  });

  it.each([
    [
      { status: 'approved', resolvedBy: 'bob@example.com' },
      'Approved',
      'Answered by: bob@example.com',
    ],
    [{ status: 'denied', resolvedBy: 'bob@example.com' }, 'Denied', 'Answered by: bob@example.com'],
    [{ status: 'denied', resolvedBy: null, expired: true }, 'Not answered in time', 'Run: run_1'],
    [{ status: 'withdrawn', resolvedBy: 'ann@example.com' }, 'No longer asked', 'Run: run_1'],
  ])('says how an approval ended: %j', (more, lead, fact) => {
    const runs = runsOf(teams(approval(more, 'approval.resolved')));
    expect(runs[0]).toBe(lead);
    expect(runs).toContain(fact);
    expect(runs.join(' ')).not.toContain('Until');
  });

  it.each([
    [
      'execution.started',
      { executionId: 'exec_1', result: { task: 'Add a page' } },
      'Execution started: Add a page',
    ],
    [
      'execution.step_completed',
      { executionId: 'exec_1', result: { step: { name: 'API' } } },
      'Step completed: API',
    ],
    [
      'execution.completed',
      { executionId: 'exec_1', result: { summary: 'Done.' } },
      'Execution completed: Done.',
    ],
    [
      'execution.failed',
      { executionId: 'exec_1', error: { message: 'No' }, result: {} },
      'Execution failed: No',
    ],
    ['execution.cancelled', { executionId: 'exec_1' }, 'Execution cancelled'],
    [
      'usage.budget_warning',
      { month: '2026-11', limitUsd: 50, spentUsd: 40.5 },
      '80% of the budget is spent: $40.50 of $50.00',
    ],
    ['webhook.test', { message: 'x' }, 'Millrace: This is a test event.'],
    ['of.tomorrow', { executionId: 7, result: 'a text' }, 'Millrace: of.tomorrow'],
    ['execution.completed', { executionId: 7, result: 'a text' }, 'Execution completed'],
    ['approval.requested', {}, 'Approval needed'],
  ])('says what happened: %s %j', (event, data, text) => {
    expect(slack(JSON.stringify({ event, timestamp: '', data })).text).toBe(text);
  });

  it('has no link where nobody knows the address of the dashboard', () => {
    expect(JSON.stringify(JSON.parse(formattedBody('slack', approval(), undefined)))).not.toContain(
      '"mrkdwn",',
    );
    const card = JSON.parse(formattedBody('teams', approval(), undefined)) as Teams;
    expect(card.attachments[0]!.content.actions).toBeUndefined();
  });
});

describe('a webhook with a format', () => {
  it('is sent it, signed as it is sent, also by a test', async () => {
    verifies('webhooks.formats');
    const { create, server, key, receiver, delivery } = hooks();
    const hook = await create('/chat', { format: 'slack' });
    await server.call('POST', `/v1/webhooks/${hook.id}/test`, { key });
    const [message] = await receiver.until('/chat', 1);
    expect(message!.body).toMatchObject({ text: 'Millrace: This is a test event.' });
    expect(verifyIndependently(hook.secret, message!)).toEqual(message!.body);
    await delivery(hook.id, ({ status }) => status === 'delivered');
  });

  it('has the format of events unless it says otherwise, and can be changed', async () => {
    const { create, server, key, emit, receiver } = hooks();
    const hook = await create('/changed');
    const path = `/v1/webhooks/${hook.id}`;
    const shown = await server.call('GET', path, { key });
    expect(shown.body).toMatchObject({ format: 'millrace' });
    const changed = await server.call('PATCH', path, { key, body: { format: 'teams' } });
    expect(changed.body).toMatchObject({ id: hook.id, format: 'teams' });
    await emit({});
    const [message] = await receiver.until('/changed', 1);
    expect(message!.body).toMatchObject({ type: 'message' });
    expectInvalid(await server.call('PATCH', path, { key, body: { format: 'irc' } }), 'format');
  });
});
