import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { WebhookVerificationError, verifyWebhook } from '../../src/client/index.ts';

// The published example of the Standard Webhooks signature.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"test": 2432232314}';
const SENT_AT = 1_614_265_330;
const HEADERS = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': String(SENT_AT),
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const genuine = { body: BODY, headers: HEADERS, secret: SECRET, now: () => SENT_AT * 1000 };

const refused = (webhook: Partial<typeof genuine>) =>
  expect(verifyWebhook({ ...genuine, ...webhook })).rejects.toBeInstanceOf(
    WebhookVerificationError,
  );

describe('a webhook', () => {
  it('that is genuine is accepted, with plain or web headers in any case', async () => {
    expect(await verifyWebhook(genuine)).toEqual({ test: 2_432_232_314 });
    expect(await verifyWebhook({ ...genuine, headers: new Headers(HEADERS) })).toBeDefined();
    const upper = Object.fromEntries(Object.entries(HEADERS).map(([k, v]) => [k.toUpperCase(), v]));
    expect(await verifyWebhook({ ...genuine, headers: upper })).toBeDefined();
  });

  it('signed with either of two secrets is accepted while one is rotated', async () => {
    const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
    expect(await verifyWebhook({ ...genuine, secret: [other, SECRET] })).toBeDefined();
    const message = `${HEADERS['webhook-id']}.${SENT_AT}.${BODY}`;
    const signature = createHmac('sha256', 'another secret').update(message).digest('base64');
    const both = { ...HEADERS, 'webhook-signature': `v1,AAAA v1,${signature}` };
    expect(
      await verifyWebhook({ ...genuine, headers: both, secret: [other, SECRET] }),
    ).toBeDefined();
  });

  it('is refused when its body, id, time or signature was changed', async () => {
    await refused({ body: `${BODY} ` });
    await refused({ headers: { ...HEADERS, 'webhook-id': 'msg_other' } });
    await refused({ headers: { ...HEADERS, 'webhook-timestamp': String(SENT_AT + 1) } });
    await refused({ headers: { ...HEADERS, 'webhook-signature': 'v1,AAAA' } });
    await refused({ headers: { ...HEADERS, 'webhook-signature': 'v2,g0hM9SsE+OTPJTGt' } });
    await refused({ headers: { ...HEADERS, 'webhook-timestamp': '16142653e2' } });
    await refused({ secret: `whsec_${Buffer.from('wrong').toString('base64')}` });
    await refused({ secret: 'whsec_***' });
  });

  it('is refused when it is older or newer than five minutes, or has no headers', async () => {
    await refused({ now: () => (SENT_AT + 301) * 1000 });
    await refused({ now: () => (SENT_AT - 301) * 1000 });
    await refused({ headers: {} as typeof HEADERS });
  });
});
