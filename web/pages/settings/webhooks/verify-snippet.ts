export const VERIFY_SNIPPET = `import { verifyWebhook } from 'millrace/client';

export async function receive(request: Request): Promise<Response> {
  // Verify the raw body: parsing and writing it again changes the signature.
  const body = await request.text();
  try {
    const { event } = await verifyWebhook<{ event: string }>({
      body,
      headers: request.headers,
      secret: process.env.WEBHOOK_SECRET ?? '',
    });
    console.log(event);
    return new Response(null, { status: 204 });
  } catch {
    return new Response('Invalid signature', { status: 400 });
  }
}`;
