// What a call may cost at most, and how long its answer may become for what was reserved.
import { affordableAnswer, costBound, pricedTier } from '../domain/call/call-cost.ts';
import type { CostBound } from '../domain/call/call-cost.ts';
import { longestAnswerOf } from '../domain/model/model-limits.ts';
import { mayBeCoveredLater } from '../domain/usage/reservation.ts';
import { budgetDollars, budgetText } from '../domain/usage/team-budget.ts';
import type { SubmitReply } from '../store/jobs/submit-jobs.ts';
import type { ReadyCall } from './gateway.ts';
import { CallRefusal } from './refusal.ts';

/** With less than this an answer is not worth beginning. */
const LEAST_ANSWER = 256;
/** Tokens that may be on their way when a call is cut off. */
const ON_THE_WAY = 100;
/** Longer than any model answers. */
const ENDLESS = 10_000_000;

export interface CallCost {
  largestCostUsd(): number | null;
  leastCostUsd?(): number | null;
  /** Where the cost is unknown. */
  why(): string;
  /** How long the answer may become; Infinity where nothing limits it here. */
  longest(reservedUsd: number | undefined): number;
}

function longestOf({ facts, request }: ReadyCall): number | undefined {
  const { maxOutput, models } = facts;
  if (typeof maxOutput === 'number') return maxOutput;
  const each = models.map((model) => longestAnswerOf(`${request.provider}:${model}`));
  return each.length === 0 || each.includes(undefined)
    ? undefined
    : Math.max(...(each as number[]));
}

function whyUnknown(call: ReadyCall, bound: CostBound): string | undefined {
  const { facts } = call;
  const { maxOutput, unbounded, models } = facts;
  if (unbounded.length > 0) return `the cost of ${unbounded.join(' and ')} has no bound`;
  if (maxOutput === 'invalid') return 'the longest answer that it asks for is no positive number';
  if (pricedTier(facts) === undefined) return `the price of the tier "${facts.tier}" is not known`;
  if (bound.costUsd(1) === null)
    return `the price of ${models.join(' or ') || 'no model'} is not known`;
  if (longestOf(call) === undefined && !facts.isStream) {
    return 'it does not say how long the answer may be, and the longest one of this model is not known';
  }
  return undefined;
}

export function costOfCall(call: ReadyCall): CallCost {
  const { facts, bytes, provider } = call;
  const bound = costBound(facts, bytes, (model, usage, tier) =>
    provider.costUsd(model, usage, tier),
  );
  // What is simulated is not charged.
  if (provider.simulated) {
    return { largestCostUsd: () => 0, why: () => '', longest: () => Infinity };
  }
  const isCutOff = facts.isStream && facts.maxOutput === undefined;
  return {
    largestCostUsd() {
      if (whyUnknown(call, bound) !== undefined) return null;
      return bound.costUsd(longestOf(call) ?? ENDLESS);
    },
    ...(isCutOff && { leastCostUsd: () => bound.costUsd(LEAST_ANSWER) }),
    why: () => whyUnknown(call, bound) ?? 'its price is not known',
    longest(reservedUsd) {
      if (reservedUsd === undefined || !isCutOff) return Infinity;
      const paid = affordableAnswer(bound, reservedUsd, longestOf(call) ?? ENDLESS);
      // The vendor is ahead of what has arrived, and what arrives comes in pieces.
      return Math.max(1, Math.floor(paid * 0.95) - ON_THE_WAY);
    },
  };
}

const mayCost = (costUsd: number) => `this call may cost up to ${budgetDollars(costUsd)}`;

/** Why the row was not opened, for the client. */
export function refusalOf(
  reply: Exclude<SubmitReply, { kind: 'accepted' }>,
  cost: CallCost,
): CallRefusal {
  const unknown = (limit: string) =>
    new CallRefusal('invalid', `${limit} cannot be kept: ${cost.why()}.`);
  switch (reply.kind) {
    case 'budget_exceeded': {
      if (reply.costUsd === null) return unknown("The team's budget");
      const message = `The team's budget does not cover this call: ${budgetText(reply.budget)}, and ${mayCost(reply.costUsd)}. It resets at ${reply.monthEnd.toISOString()}.`;
      return new CallRefusal('budget', message);
    }
    case 'cap_exceeded': {
      const { cap, costUsd } = reply;
      const what = cap.streamId === undefined ? 'run' : `stream ${cap.streamId}`;
      if (costUsd === null) return unknown(`What the ${what} may cost`);
      const message = `What the ${what} may cost does not cover this call: ${budgetText(cap)}, and ${mayCost(costUsd)}.`;
      if (!mayBeCoveredLater(cap, costUsd)) return new CallRefusal('budget', message);
      return new CallRefusal('rate', `${message} Try again when other calls have ended.`, {
        retryAfterSeconds: 5,
      });
    }
    case 'too_dear': {
      const { limitUsd, costUsd } = reply;
      if (costUsd === null) return unknown('The most that the team lets a call cost');
      const message = `The team lets one call cost ${budgetDollars(limitUsd)} at most, and ${mayCost(costUsd)}. Ask for a shorter answer.`;
      return new CallRefusal('budget', message);
    }
    case 'model_forbidden': {
      const allowed = reply.allowed.join(', ') || 'none';
      return new CallRefusal(
        'forbidden',
        `The team does not allow this model. It allows: ${allowed}.`,
      );
    }
    case 'quota_exceeded': {
      const resets = reply.monthEnd.toISOString();
      const message = `You have used all ${reply.limit} runs of this month. The quota resets at ${resets}.`;
      return new CallRefusal('budget', message);
    }
    case 'no_place': {
      const message = 'As many jobs and calls of the team are running as its plan allows.';
      return new CallRefusal('rate', message, { retryAfterSeconds: 5 });
    }
    case 'team_deleted':
    case 'not_allowed':
      return new CallRefusal('forbidden', 'You may no longer call models in this team.');
    case 'replayed':
    case 'key_reused':
      throw new Error('a call has no idempotency key');
  }
}
