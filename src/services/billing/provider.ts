// Who charges for plans: nobody (`manual`), or Stripe.
import type { Actor } from '../../domain/access/actor.ts';
import type { PlanRequest } from '../../domain/billing/plan-change.ts';
import type { Queryable } from '../../store/postgres/db.ts';

export interface PlanChange {
  actor: Actor;
  request: PlanRequest;
  once: Once;
}

/** A request that may be repeated under its key. */
export interface Once {
  key: string | undefined;
  /** What was answered before; refuses another body. */
  find(db: Queryable): Promise<string | undefined>;
  /** Keeps the answer for as long as it may be asked for again. */
  keep(db: Queryable, answer: { checkoutUrl?: string }): Promise<void>;
}

export type ChangeResult =
  | { kind: 'done'; checkoutUrl?: string }
  | { kind: 'replayed'; reply: string };

export interface BillingProvider {
  /** Puts the change in force or schedules it, or returns where to pay first. */
  change(change: PlanChange): Promise<ChangeResult>;
  /** Where the owner sees invoices and payment methods. */
  openPortal(actor: Actor): Promise<string>;
  /** Looks whether what is known of the team's plan is still true. */
  refresh(teamId: string): Promise<void>;
}
