// Signatures by the rules of Standard Webhooks: HMAC-SHA256 over id, time and body.
import { createHmac } from 'node:crypto';

export function webhookHeaders(
  message: { id: string; atSeconds: number; body: string },
  /** One, or several while secrets are being changed: each receiver knows one of them. */
  secrets: readonly string[],
): Record<string, string> {
  const content = `${message.id}.${message.atSeconds}.${message.body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  });
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.atSeconds),
    'webhook-signature': signatures.join(' '),
  };
}
