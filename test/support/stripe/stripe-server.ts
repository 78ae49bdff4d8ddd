// A scripted Stripe: the requests that we make, over real HTTP, with its idempotency keys, its signatures and
// its faults. What people do at Stripe (pay, cancel, fail to pay) is done by calling it.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { below, readForm, text } from './form.ts';
import type { Form } from './form.ts';

export const STRIPE_KEY = 'sk_test_scripted_secret';
export const WEBHOOK_SECRET = 'whsec_scripted_secret';
const DAY = 86_400;

export interface FakeSubscription {
  id: string;
  object: 'subscription';
  customer: string;
  status: string;
  created: number;
  cancel_at_period_end: boolean;
  cancel_at: number | null;
  metadata: Record<string, string>;
  items: {
    data: {
      id: string;
      price: { id: string };
      quantity: number;
      current_period_start: number;
      current_period_end: number;
    }[];
  };
}

export interface Line {
  price: string;
  quantity: number;
}

export type Fault = { status: number; type?: string } | 'hang' | undefined;

export interface StripeServer {
  url: string;
  subscriptions: Map<string, FakeSubscription>;
  checkouts: Map<string, { status: string; form: Form }>;
  /** `METHOD /path` of every request. */
  requests: string[];
  /** What was charged or credited for the rest of a period, as the change of price and quantity. */
  prorations: { id: string; from: Line; to: Line }[];
  /** What every request gets instead of an answer. */
  fault: Fault;
  /** Somebody pays at the page. */
  pay(checkoutUrl: string): FakeSubscription;
  /** An event as Stripe sends it, with its signature. */
  event(
    type: string,
    object: object,
    options?: { id?: string; secret?: string; ageSeconds?: number },
  ): { id: string; body: string; signature: string };
  close(): Promise<void>;
}

const now = () => Math.floor(Date.now() / 1000);

export async function startStripe(): Promise<StripeServer> {
  let count = 0;
  const next = (prefix: string) => `${prefix}_${++count}`;
  const subscriptions = new Map<string, FakeSubscription>();
  const checkouts = new Map<string, { status: string; form: Form }>();
  const replies = new Map<string, { body: string; reply: string }>();
  const open = new Set<ServerResponse>();

  function change(subscription: FakeSubscription, form: Form): FakeSubscription {
    const item = below(below(form['items'])['0']);
    const [line] = subscription.items.data;
    const lineNow = (): Line => ({ price: line!.price.id, quantity: line!.quantity });
    const from = lineNow();
    if (text(item['price'])) line!.price.id = text(item['price']);
    if (text(item['quantity'])) line!.quantity = Number(text(item['quantity']));
    const to = lineNow();
    // As Stripe does unless it is told otherwise.
    const isCharged = text(form['proration_behavior']) !== 'none';
    if (isCharged && JSON.stringify(from) !== JSON.stringify(to)) {
      stripe.prorations.push({ id: subscription.id, from, to });
    }
    const cancel = text(form['cancel_at_period_end']);
    if (cancel) subscription.cancel_at_period_end = cancel === 'true';
    if (form['cancel_at'] === '') subscription.cancel_at = null;
    for (const [name, value] of Object.entries(below(form['metadata']))) {
      if (value === '') delete subscription.metadata[name];
      else subscription.metadata[name] = text(value);
    }
    return subscription;
  }

  function answer(method: string, path: string, query: URLSearchParams, form: Form): unknown {
    const [, , noun, id, verb] = path.split('/');
    if (method === 'POST' && path === '/v1/customers') {
      return { id: next('cus'), object: 'customer', metadata: below(form['metadata']) };
    }
    if (method === 'GET' && path === '/v1/subscriptions') {
      const data = [...subscriptions.values()].filter(
        ({ customer }) => customer === query.get('customer'),
      );
      return { object: 'list', has_more: false, data };
    }
    if (method === 'POST' && noun === 'subscriptions' && id && subscriptions.has(id)) {
      return change(subscriptions.get(id)!, form);
    }
    if (method === 'DELETE' && noun === 'subscriptions' && id && subscriptions.has(id)) {
      const subscription = subscriptions.get(id)!;
      if (subscription.status === 'canceled') return undefined;
      subscription.status = 'canceled';
      return subscription;
    }
    if (method === 'POST' && path === '/v1/checkout/sessions') {
      const session = next('cs');
      checkouts.set(session, { status: 'open', form });
      return { id: session, url: `https://checkout.example.com/${session}` };
    }
    if (method === 'POST' && noun === 'checkout' && path.endsWith('/expire')) {
      const session = checkouts.get(verb!);
      if (session?.status !== 'open') return undefined;
      session.status = 'expired';
      return { id: verb, status: 'expired' };
    }
    if (method === 'POST' && path === '/v1/billing_portal/sessions') {
      return { id: next('bps'), url: `https://portal.example.com/${text(form['customer'])}` };
    }
    return undefined;
  }

  function send(response: ServerResponse, status: number, reply: string): void {
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': next('req') });
    response.end(reply);
  }
  const refuse = (response: ServerResponse, status: number, type: string) =>
    send(response, status, JSON.stringify({ error: { type, message: `scripted ${type}` } }));

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const { method = '' } = request;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stripe');
    stripe.requests.push(`${method} ${pathname}`);
    const { fault } = stripe;
    if (fault === 'hang') return void open.add(response);
    if (fault) return refuse(response, fault.status, fault.type ?? 'api_error');
    if (request.headers.authorization !== `Bearer ${STRIPE_KEY}`) {
      return refuse(response, 401, 'authentication_error');
    }
    const key = request.headers['idempotency-key'] as string | undefined;
    const known = key === undefined ? undefined : replies.get(key);
    if (known && known.body !== pathname + body) return refuse(response, 400, 'idempotency_error');
    if (known) return send(response, 200, known.reply);
    const result = answer(method, pathname, searchParams, readForm(body));
    if (result === undefined) return refuse(response, 400, 'invalid_request_error');
    const reply = JSON.stringify(result);
    if (key !== undefined) replies.set(key, { body: pathname + body, reply });
    send(response, 200, reply);
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stripe: StripeServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    subscriptions,
    checkouts,
    requests: [],
    prorations: [],
    fault: undefined,
    pay(checkoutUrl) {
      const session = checkouts.get(checkoutUrl.split('/').at(-1)!)!;
      if (session.status !== 'open') throw new Error(`the page is ${session.status}`);
      session.status = 'complete';
      const { form } = session;
      const line = below(below(form['line_items'])['0']);
      const metadata = below(below(form['subscription_data'])['metadata']);
      const subscription: FakeSubscription = {
        id: next('sub'),
        object: 'subscription',
        customer: text(form['customer']),
        status: 'active',
        created: now(),
        cancel_at_period_end: false,
        cancel_at: null,
        metadata: { teamId: text(metadata['teamId']) },
        items: {
          data: [
            {
              id: next('si'),
              price: { id: text(line['price']) },
              quantity: Number(text(line['quantity'])),
              current_period_start: now() - DAY,
              current_period_end: now() + 29 * DAY,
            },
          ],
        },
      };
      subscriptions.set(subscription.id, subscription);
      return subscription;
    },
    event(type, object, { id = next('evt'), secret = WEBHOOK_SECRET, ageSeconds = 0 } = {}) {
      const at = now() - ageSeconds;
      const body = JSON.stringify({ id, object: 'event', type, created: at, data: { object } });
      const hash = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
      return { id, body, signature: `t=${at},v1=${hash}` };
    },
    async close() {
      for (const response of open) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return stripe;
}
