// The requests that webhooks are sent, for the description of the API.
import { z } from 'zod';
import { WEBHOOK_EVENTS } from '../contract/webhook-events.ts';

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** As in Standard Webhooks. */
const HEADERS = [
  header('webhook-id', 'Event id; the same for every attempt'),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970'),
  header('webhook-signature', 'One or more signatures, `v1,` and base64, separated by spaces'),
];

function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'output' });
  return rest;
}

export function openApiWebhooks(): Record<string, object> {
  return Object.fromEntries(
    WEBHOOK_EVENTS.map(({ event, summary, description, schema }) => [
      event,
      {
        post: {
          operationId: `on ${event}`.replaceAll(/[ ._](\w)/g, (_, letter: string) =>
            letter.toUpperCase(),
          ),
          tags: ['Webhooks'],
          summary,
          description,
          // Signed, not authenticated: the receiver checks the signature.
          security: [],
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: jsonSchema(schema) } },
          },
          responses: {
            '2XX': { description: 'Received. Any other response is retried.' },
            '4XX': { description: 'Retried, except 410, which disables the webhook.' },
          },
        },
      },
    ]),
  );
}
