// Plans that are paid for with Stripe, against a scripted one over real HTTP.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger, createScrubber } from '../../src/platform/log.ts';
import { createStripeApi } from '../../src/services/billing/stripe-api.ts';
import { createStripeSync } from '../../src/services/billing/stripe-sync.ts';
import {
  listUnsynced,
  takeSyncTicket,
  updateStripePlan,
} from '../../src/store/billing/subscriptions.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { BELIEVES_TESTS, PASSWORD, joinTeam, newPerson } from '../accounts/people.ts';
import type { Person } from '../accounts/people.ts';
import { effort } from '../support/effort.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import type { TestServer } from '../support/server.ts';
import { startTestServer } from '../support/server.ts';
import { STRIPE_KEY, WEBHOOK_SECRET, startStripe } from '../support/stripe/stripe-server.ts';
import type { FakeSubscription, StripeServer } from '../support/stripe/stripe-server.ts';
import { verifies } from '../support/verifies.ts';

const PLAN = '/v1/billing/subscription';
const EVENTS = '/api/v1/billing/stripe/webhook';
const DAY = 86_400;

let stripe: StripeServer;
let server: TestServer;

const stripeSettings = () => ({
  key: STRIPE_KEY,
  webhookSecret: WEBHOOK_SECRET,
  prices: { price_pro: 'pro', price_team: 'team' } as const,
  apiUrl: stripe.url,
  timeoutMs: 20_000,
});

beforeAll(async () => {
  stripe = await startStripe();
  server = await startTestServer({
    ...BELIEVES_TESTS,
    role: 'api',
    defaultTier: 'trial',
    stripe: { ...stripeSettings(), returnUrl: undefined },
  });
});
afterAll(async () => {
  await server?.close();
  await stripe?.close();
});
beforeEach(() => {
  stripe.fault = undefined;
});

async function newOwner(): Promise<Person> {
  const person = await newPerson(server);
  await server.db.query(`update teams set tier = 'trial' where id = $1`, [person.teamId]);
  return person;
}

async function deliver(
  type: string,
  object: object,
  options?: Parameters<StripeServer['event']>[2],
): Promise<number> {
  return send(stripe.event(type, object, options));
}

async function send({ body, signature }: { body: string; signature: string }): Promise<number> {
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
  const answer = await fetch(server.url + EVENTS, { method: 'POST', headers, body });
  await answer.body?.cancel();
  return answer.status;
}

/** As a worker has it. */
function newSync() {
  const { db } = server;
  const signals = createSignals({ originId: 'x', db, onError: () => undefined });
  const log = createLogger({ level: 'silent', scrubber: createScrubber(), write: () => undefined });
  const { prices, ...rest } = stripeSettings();
  const api = createStripeApi({ ...rest, returnUrl: () => server.url });
  return createStripeSync({ db, signals, log, api, prices, free: 'trial' });
}

const planOf = async (person: Person) => (await person.call('GET', PLAN)).body;

/** A team that has paid, as Stripe and we know it. */
async function newPayer(tier = 'pro'): Promise<Person & { subscription: FakeSubscription }> {
  const person = await newOwner();
  const { body } = await person.call('POST', PLAN, { tier });
  const subscription = stripe.pay(body['checkoutUrl'] as string);
  expect(await deliver('checkout.session.completed', { customer: subscription.customer })).toBe(
    200,
  );
  return Object.assign(person, { subscription });
}

describe('a paid plan', () => {
  it('begins at a page of Stripe, and is in force once Stripe says so', async () => {
    verifies('billing.stripe.checkout');
    const jane = await newOwner();
    const { status, body } = await jane.call('POST', PLAN, { tier: 'pro', seats: 2 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ tier: 'trial', provider: 'manual' });
    const subscription = stripe.pay(body['checkoutUrl'] as string);
    expect(await planOf(jane)).toMatchObject({ tier: 'trial' });
    await deliver('customer.subscription.created', subscription);
    expect(await planOf(jane)).toMatchObject({
      tier: 'pro',
      seats: 2,
      status: 'active',
      provider: 'stripe',
      quota: { runsPerMonth: 1000 },
    });
    const portal = await jane.call('POST', '/v1/billing/portal');
    expect(portal.body).toEqual({ url: `https://portal.example.com/${subscription.customer}` });
    expectError(
      await jane.call('PATCH', `/api/v1/admin/teams/${jane.teamId}`, { tier: 'team' }),
      'FORBIDDEN',
    );
    await server.db.query('update users set is_admin = true where id = $1', [jane.userId]);
    // It would last until the next event.
    expectError(
      await jane.call('PATCH', `/api/v1/admin/teams/${jane.teamId}`, { tier: 'team' }),
      'CONFLICT',
    );
  });

  it('has one open page at a time, and no second one for what is paid already', async () => {
    const jane = await newOwner();
    const first = (await jane.call('POST', PLAN, { tier: 'pro' })).body['checkoutUrl'] as string;
    const second = (await jane.call('POST', PLAN, { tier: 'team' })).body['checkoutUrl'] as string;
    expect(() => stripe.pay(first)).toThrow('expired');
    stripe.pay(second);
    // The event is not there yet; Stripe is asked.
    const { body } = await jane.call('POST', PLAN, { tier: 'team' });
    expect(body).toMatchObject({ tier: 'team', provider: 'stripe' });
    expect(body).not.toHaveProperty('checkoutUrl');
    expectInvalid(await jane.call('POST', PLAN, { tier: 'enterprise' }), 'tier');
  });

  it('is raised at once, lowered and canceled when its period ends, and can be taken back', async () => {
    verifies('billing.stripe.change');
    const jane = await newPayer('pro');
    const [line] = jane.subscription.items.data;
    const change = async (body: object) => (await jane.call('POST', PLAN, body)).body;
    expect(await change({ tier: 'team', seats: 4 })).toMatchObject({ tier: 'team', seats: 4 });
    expect(line).toMatchObject({ price: { id: 'price_team' }, quantity: 4 });
    const end = new Date(line!.current_period_end * 1000).toISOString();

    expect(await change({ tier: 'pro' })).toMatchObject({
      tier: 'team',
      scheduled: { tier: 'pro', at: end },
    });
    expect(line!.price.id).toBe('price_pro');
    expect(await change({ tier: 'team' })).toMatchObject({ tier: 'team', scheduled: null });
    expect(line!.price.id).toBe('price_team');

    expect(await change({ tier: 'team', cancelAtPeriodEnd: true })).toMatchObject({
      tier: 'team',
      cancelAtPeriodEnd: true,
      scheduled: { tier: 'trial', at: end },
    });
    expect(jane.subscription.cancel_at_period_end).toBe(true);
    expect(await change({ tier: 'team' })).toMatchObject({
      cancelAtPeriodEnd: false,
      scheduled: null,
    });
    expect(jane.subscription.cancel_at_period_end).toBe(false);
  });

  it('lowered keeps its tier until the period ends, and has the lower one after it', async () => {
    const jane = await newPayer('team');
    await jane.call('POST', PLAN, { tier: 'pro' });
    const [line] = jane.subscription.items.data;
    // A month later: Stripe has renewed it at the new price.
    jane.subscription.metadata['heldUntil'] = String(Math.floor(Date.now() / 1000) - 1);
    line!.current_period_start = line!.current_period_end;
    line!.current_period_end += 30 * DAY;
    await deliver('invoice.paid', { customer: jane.subscription.customer });
    expect(await planOf(jane)).toMatchObject({ tier: 'pro', scheduled: null });
  });

  it.each([
    ['past_due', { tier: 'pro', status: 'past_due', scheduled: null }],
    ['unpaid', { tier: 'pro', status: 'unpaid', scheduled: { tier: 'trial' } }],
    ['canceled', { tier: 'pro', status: 'canceled', scheduled: { tier: 'trial' } }],
  ])('that is %s keeps what was paid for', async (status, expected) => {
    verifies('billing.stripe.status');
    const jane = await newPayer('pro');
    jane.subscription.status = status;
    await deliver('customer.subscription.updated', jane.subscription);
    expect(await planOf(jane)).toMatchObject(expected);
    // Once that time is over, the tier is the free one, unless Stripe is still trying.
    jane.subscription.items.data[0]!.current_period_end = Math.floor(Date.now() / 1000) - 10;
    await deliver('customer.subscription.updated', jane.subscription);
    const tier = status === 'past_due' ? 'pro' : 'trial';
    expect(await planOf(jane)).toMatchObject({ tier, status, scheduled: null });
  });

  it('that was canceled at Stripe is had again by paying, and not otherwise', async () => {
    const jane = await newPayer('pro');
    jane.subscription.status = 'canceled';
    await deliver('customer.subscription.deleted', jane.subscription);
    const ending = await planOf(jane);
    expect(ending).toMatchObject({ tier: 'pro', scheduled: { tier: 'trial' } });
    // What ends already cannot be made to last longer.
    for (const body of [{ tier: 'pro', cancelAtPeriodEnd: true }, { tier: 'trial' }]) {
      expect((await jane.call('POST', PLAN, body)).body).toEqual(ending);
    }
    for (const tier of ['pro', 'team']) {
      const { body } = await jane.call('POST', PLAN, { tier });
      expect(body).toMatchObject({ ...ending, checkoutUrl: expect.any(String) });
    }
  });

  it('whose first payment fails gives nothing, and takes nothing away', async () => {
    const jane = await newOwner();
    await server.db.query(`update teams set tier = 'pro' where id = $1`, [jane.teamId]);
    const { body } = await jane.call('POST', PLAN, { tier: 'team' });
    const subscription = stripe.pay(body['checkoutUrl'] as string);
    subscription.status = 'incomplete';
    await deliver('customer.subscription.created', subscription);
    expect(await planOf(jane)).toMatchObject({ tier: 'pro', provider: 'manual' });
  });

  it('that ended is not brought back by a late event over what an operator gave', async () => {
    const jane = await newPayer('pro');
    jane.subscription.status = 'canceled';
    jane.subscription.items.data[0]!.current_period_end = Math.floor(Date.now() / 1000) - 10;
    await deliver('customer.subscription.deleted', jane.subscription);
    await server.db.query('update users set is_admin = true where id = $1', [jane.userId]);
    await jane.call('PATCH', `/api/v1/admin/teams/${jane.teamId}`, { tier: 'enterprise' });
    await deliver('customer.subscription.deleted', jane.subscription);
    expect(await planOf(jane)).toMatchObject({ tier: 'enterprise', provider: 'manual' });
  });

  it('keeps its team from being deleted, and is looked at again when its events were lost', async () => {
    const jane = await newOwner();
    const id = (await jane.call('POST', '/v1/teams', { name: 'T' })).body['id'] as string;
    const headers = { 'sec-fetch-site': 'same-origin', 'x-team-id': id };
    const { body } = await jane.call('POST', PLAN, { tier: 'pro' }, headers);
    const subscription = stripe.pay(body['checkoutUrl'] as string);
    await deliver('customer.subscription.created', subscription);
    expectError(await jane.call('DELETE', `/v1/teams/${id}`), 'CONFLICT');
    subscription.status = 'canceled';
    subscription.items.data[0]!.current_period_end = Math.floor(Date.now() / 1000) - 10;
    const { db } = server;
    expect(await listUnsynced(db, 100)).not.toContain(id);
    await db.query(
      `update subscriptions set synced_at = now() - interval '2 days' where team_id = $1`,
      [id],
    );
    expect(await listUnsynced(db, 100)).toContain(id);
    await newSync().resync();
    expect(await listUnsynced(db, 100)).not.toContain(id);
    expect((await jane.call('DELETE', `/v1/teams/${id}`)).status).toBe(200);
  });

  it('is charged for what is new: seats at the price that is paid, and nothing twice', async () => {
    const worth: Record<string, number> = { price_pro: 10, price_team: 30 };
    const jane = await newPayer('team');
    const [line] = jane.subscription.items.data;
    /** What a change of the plan charges for a whole period. */
    const charged = async (body: object) => {
      stripe.prorations = [];
      expect((await jane.call('POST', PLAN, body)).status).toBe(200);
      return stripe.prorations
        .map(({ from, to }) => worth[to.price]! * to.quantity - worth[from.price]! * from.quantity)
        .reduce((sum, one) => sum + one, 0);
    };
    // Lower, with a seat more that is used from now on.
    expect(await charged({ tier: 'pro', seats: 2 })).toBe(30);
    expect(line).toMatchObject({ price: { id: 'price_pro' }, quantity: 2 });
    expect(await charged({ tier: 'pro', seats: 3 })).toBe(30);
    expect(await planOf(jane)).toMatchObject({
      tier: 'team',
      seats: 3,
      scheduled: { tier: 'pro' },
    });
    // Taken back, with one more.
    expect(await charged({ tier: 'team', seats: 4 })).toBe(30);
    expect(line).toMatchObject({ price: { id: 'price_team' }, quantity: 4 });
    expect(await planOf(jane)).toMatchObject({ tier: 'team', seats: 4, scheduled: null });
    expect(await charged({ tier: 'team', seats: 5, cancelAtPeriodEnd: true })).toBe(30);
    expect(jane.subscription.cancel_at_period_end).toBe(true);
    expect(await charged({ tier: 'team' })).toBe(0);
    expect(await charged({ tier: 'team', seats: 4 })).toBe(-30);
    expect(await charged({ tier: 'pro' })).toBe(0);
    expect(await charged({ tier: 'pro', cancelAtPeriodEnd: false })).toBe(0);
    expect(await charged({ tier: 'team' })).toBe(0);
  });

  it('shows the seats that are paid for, whoever joined since', async () => {
    const jane = await newPayer('team');
    const joe = await newPerson(server);
    await joinTeam(server, { teamId: jane.teamId, userId: joe.userId, role: 'viewer' });
    expect(await planOf(jane)).toMatchObject({ seats: 1 });
  });

  it('ends at Stripe when its account is deleted, and is not asked about again', async () => {
    const jane = await newPayer('pro');
    // Somebody else was asked about for ever.
    const { db } = server;
    const open = (await jane.call('POST', '/v1/teams', { name: 'open page' })).body['id'] as string;
    const headers = { 'sec-fetch-site': 'same-origin', 'x-team-id': open };
    const { body: page } = await jane.call('POST', PLAN, { tier: 'pro' }, headers);
    const checkoutId = String(page['checkoutUrl']).split('/').at(-1)!;
    const gone = { email: jane.email, password: PASSWORD };
    expect((await jane.call('POST', '/api/v1/auth/delete-account', gone)).status).toBe(200);
    const ids = [jane.teamId, open];
    expect(await listUnsynced(db, 100)).toEqual(expect.arrayContaining(ids));
    const { resync } = newSync();
    stripe.fault = { status: 500 };
    await resync();
    expect(jane.subscription.status).toBe('active');
    stripe.fault = undefined;
    // Tried again after a while.
    await db.query(
      `update subscriptions set synced_at = now() - interval '2 hours' where team_id = any($1)`,
      [ids],
    );
    await resync();
    expect(jane.subscription.status).toBe('canceled');
    expect(stripe.checkouts.get(checkoutId)!.status).toBe('expired');
    await db.query(
      `update subscriptions set synced_at = now() - interval '2 days' where team_id = any($1)`,
      [ids],
    );
    const left = await listUnsynced(db, 100);
    for (const id of ids) expect(left).not.toContain(id);
  });

  it('is noticed without any event, when its period is over', async () => {
    const jane = await newPayer('pro');
    const [line] = jane.subscription.items.data;
    await server.db.query(
      `update subscriptions set period_end = now() - interval '1 minute' where team_id = $1`,
      [jane.teamId],
    );
    line!.price.id = 'price_team';
    expect(await planOf(jane)).toMatchObject({ tier: 'team' });
    stripe.fault = { status: 500 };
    await server.db.query(
      `update subscriptions set period_end = now() - interval '1 minute' where team_id = $1`,
      [jane.teamId],
    );
    // What is known is better than nothing.
    expect(await planOf(jane)).toMatchObject({ tier: 'team' });
  });

  it('keeps its tier when the price is not in the settings any more', async () => {
    const jane = await newPayer('pro');
    jane.subscription.items.data[0]!.price.id = 'price_of_last_year';
    expect(await deliver('customer.subscription.updated', jane.subscription)).toBe(200);
    expect(await planOf(jane)).toMatchObject({ tier: 'pro', status: 'active' });
    expect(server.logs()).toContain('price_of_last_year');
  });
});

describe('an event', () => {
  it('is believed only with a fresh signature of Stripe', async () => {
    verifies('billing.stripe.signature');
    const jane = await newOwner();
    const { body } = await jane.call('POST', PLAN, { tier: 'pro' });
    const object = stripe.pay(body['checkoutUrl'] as string);
    const type = 'customer.subscription.created';
    expect(await deliver(type, object, { secret: 'whsec_other' })).toBe(400);
    expect(await deliver(type, object, { ageSeconds: 301 })).toBe(400);
    const event = stripe.event(type, object);
    expect(await send({ ...event, body: event.body.replace('active', 'unpaid') })).toBe(400);
    expect(await send({ ...event, signature: '' })).toBe(400);
    expect(await planOf(jane)).toMatchObject({ tier: 'trial' });
    expect(await send(event)).toBe(200);
    expect(await planOf(jane)).toMatchObject({ tier: 'pro' });
  });

  it('that names another team, or a customer that is not ours, upgrades nobody', async () => {
    verifies('billing.stripe.foreign');
    const [jane, joe] = [await newPayer('pro'), await newOwner()];
    const foreign = { ...jane.subscription, id: 'sub_foreign', metadata: { teamId: joe.teamId } };
    // Newer, and for more: it would be the one that counts.
    foreign.created += 100;
    foreign.items = structuredClone(foreign.items);
    foreign.items.data[0]!.price.id = 'price_team';
    stripe.subscriptions.set(foreign.id, foreign);
    await deliver('customer.subscription.created', foreign);
    expect(await planOf(joe)).toMatchObject({ tier: 'trial' });
    expect(await planOf(jane)).toMatchObject({ tier: 'pro' });
    const stranger = { ...foreign, id: 'sub_stranger', customer: 'cus_stranger' };
    stripe.subscriptions.set(stranger.id, stranger);
    expect(await deliver('customer.subscription.created', stranger)).toBe(200);
    expect(await planOf(joe)).toMatchObject({ tier: 'trial' });
  });

  it('sent twice is dealt with once; one that failed is tried again', async () => {
    const jane = await newPayer('pro');
    const event = stripe.event('customer.subscription.updated', jane.subscription);
    stripe.fault = { status: 500 };
    expect(await send(event)).toBe(503);
    stripe.fault = undefined;
    expect(await send(event)).toBe(200);
    const asked = stripe.requests.length;
    expect(await send(event)).toBe(200);
    expect(stripe.requests.length).toBe(asked);
  });

  it('whose look at Stripe took long does not overwrite what a later look saw', async () => {
    const jane = await newPayer('pro');
    const { db } = server;
    const [slow, quick] = [
      (await takeSyncTicket(db, jane.teamId))!.ticket,
      (await takeSyncTicket(db, jane.teamId))!.ticket,
    ];
    const plan = {
      subscriptionId: jane.subscription.id,
      status: 'active',
      tier: 'pro',
      next: null,
      seats: 1,
      periodStart: new Date(),
      periodEnd: new Date(Date.now() + DAY * 1000),
      cancelAtPeriodEnd: false,
    } as const;
    expect(await updateStripePlan(db, jane.teamId, quick, { ...plan, seats: 7 })).toBe(true);
    expect(await updateStripePlan(db, jane.teamId, slow, plan)).toBe(false);
    expect(await planOf(jane)).toMatchObject({ seats: 7 });
  });

  it('may come in any order, twice, late or not at all: the end is what Stripe has', async () => {
    verifies('billing.stripe.any-order');
    const step = fc.constantFrom<(one: FakeSubscription) => void>(
      (one) => void (one.items.data[0]!.price.id = 'price_team'),
      (one) => void (one.items.data[0]!.price.id = 'price_pro'),
      (one) => void (one.cancel_at_period_end = !one.cancel_at_period_end),
      (one) => void (one.status = 'past_due'),
      (one) => void (one.status = 'active'),
      (one) => void (one.status = 'canceled'),
      (one) => void (one.items.data[0]!.quantity += 1),
    );
    const story = fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 5 }),
      order: fc.infiniteStream(fc.nat(1000)),
      lost: fc.infiniteStream(fc.boolean()),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ steps, order, lost }) => {
        const one = await newPayer('pro');
        const events: ReturnType<StripeServer['event']>[] = [];
        const early: Promise<number>[] = [];
        for (const change of steps) {
          change(one.subscription);
          // The snapshot in the event is old by the time that it arrives, or wrong.
          const event = stripe.event('customer.subscription.updated', { ...one.subscription });
          events.push(event);
          if (order.next().value! % 3 === 0) early.push(send(event));
        }
        await Promise.all(early);
        const kept = events.filter((_, index) => index === steps.length - 1 || !lost.next().value);
        const shuffled = [...kept, ...kept.slice(0, 2)]
          .map((event) => ({ event, at: order.next().value! }))
          .toSorted((a, b) => a.at - b.at);
        const statuses = await Promise.all(shuffled.map(({ event }) => send(event)));
        expect(new Set(statuses)).toEqual(new Set([200]));

        const { status, cancel_at_period_end: cancels, items } = one.subscription;
        const ends = status === 'canceled' || cancels;
        expect(await planOf(one)).toMatchObject({
          tier: items.data[0]!.price.id === 'price_team' ? 'team' : 'pro',
          status,
          seats: items.data[0]!.quantity,
          cancelAtPeriodEnd: cancels && status !== 'canceled',
          scheduled: ends ? { tier: 'trial' } : null,
        });
      }),
      { numRuns: effort(6) },
    );
  });
});

describe('a Stripe that does not work', () => {
  it.each([
    ['has an error', { status: 500 }],
    ['limits requests', { status: 429, type: 'rate_limit_error' }],
    ['refuses the key', { status: 401, type: 'authentication_error' }],
  ] as const)('%s: 503, and nothing is half-written', async (_name, fault) => {
    verifies('billing.stripe.down');
    const jane = await newOwner();
    stripe.fault = fault;
    const answer = await jane.call('POST', PLAN, { tier: 'pro' });
    expectError(answer, 'SERVICE_UNAVAILABLE');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await planOf(jane)).toMatchObject({
      tier: 'trial',
      provider: 'manual',
      scheduled: null,
    });
    stripe.fault = undefined;
    const { body } = await jane.call('POST', PLAN, { tier: 'pro' });
    expect(body).toHaveProperty('checkoutUrl');
  });

  it('does not hold a request up for longer than it may', async () => {
    stripe.fault = 'hang';
    const settings = { ...stripeSettings(), timeoutMs: 100 };
    const api = createStripeApi({ ...settings, returnUrl: () => server.url });
    const asked = api.listSubscriptions('cus_1');
    await expect(asked).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('leaves neither key nor secret in the log', () => {
    expect(server.logs()).not.toContain(STRIPE_KEY);
    expect(server.logs()).not.toContain(WEBHOOK_SECRET);
  });
});

it('a request that is sent twice opens one page', async () => {
  const jane = await newOwner();
  const headers = { 'sec-fetch-site': 'same-origin', 'idempotency-key': 'pay-1' };
  const pages = await Promise.all(
    [1, 2].map(
      async () => (await jane.call('POST', PLAN, { tier: 'pro' }, headers)).body['checkoutUrl'],
    ),
  );
  expect(pages[0]).toBe(pages[1]);
  stripe.pay(pages[0] as string);
  expectError(await jane.call('POST', PLAN, { tier: 'team' }, headers), 'IDEMPOTENCY_KEY_REUSED');
});
