import { ExternalLink } from '../../../ui/icons.tsx';
import { useState } from 'react';
import type { Subscription } from '../../../../src/contract/billing-api.ts';
import { api } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Field, Input, Select } from '../../../ui/field.tsx';
import { Card, CardHead } from '../../../ui/surface.tsx';
import { problemOf, useChange } from '../use-change.ts';
import { TIER_LABELS } from './tiers.ts';
import type { TierName } from './tiers.ts';

function CancelPlan({ plan }: { plan: Subscription }) {
  const [asking, setAsking] = useState(false);
  const { tier, cancelAtPeriodEnd } = plan;
  const change = useChange({
    change: () => api.billing.change({ tier, cancelAtPeriodEnd: !cancelAtPeriodEnd }),
    stale: ['plan', 'me', 'teams'],
    said: () => (cancelAtPeriodEnd ? 'The plan renews again.' : 'The plan ends with its period.'),
    onDone: () => setAsking(false),
  });
  if (cancelAtPeriodEnd) {
    return (
      <Button busy={change.isPending} onClick={() => change.mutate(undefined)}>
        Keep the plan
      </Button>
    );
  }
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        Cancel plan
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Cancel the plan?"
        action="Cancel the plan"
        busy={change.isPending}
        onConfirm={() => change.mutate(undefined)}
      >
        It stays in force until the end of its period. After that the team is on the free plan of
        this server, with its limits.
      </ConfirmDialog>
    </>
  );
}

export function ChangePlan({ plan }: { plan: Subscription }) {
  const [tier, setTier] = useState<TierName>(plan.scheduled?.tier ?? plan.tier);
  const [seats, setSeats] = useState(plan.seats);
  const change = useChange({
    change: () => api.billing.change({ tier, seats }),
    stale: ['plan', 'me', 'teams'],
    said: ({ scheduled }) => (scheduled ? 'The plan changes later.' : 'The plan was changed.'),
    onDone({ checkoutUrl }) {
      if (checkoutUrl !== undefined) location.assign(checkoutUrl);
    },
  });
  const portal = useChange({
    change: () => api.billing.portal(),
    stale: [],
    onDone: ({ url }) => location.assign(url),
  });
  return (
    <Card>
      <CardHead title="Change plan">
        {plan.provider === 'stripe' ? (
          <Button
            size="small"
            icon={<ExternalLink />}
            busy={portal.isPending}
            onClick={() => portal.mutate(undefined)}
          >
            Invoices and payment
          </Button>
        ) : null}
      </CardHead>
      <form
        className="flex flex-wrap items-end gap-4 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(undefined);
        }}
      >
        <Field label="Plan">
          {(props) => (
            <Select
              {...props}
              value={tier}
              onChange={(event) => setTier(event.target.value as TierName)}
            >
              {Object.entries(TIER_LABELS)
                // The operator of the server agrees on it with the team.
                .filter(([id]) => id !== 'enterprise' || plan.tier === id)
                .map(([id, label]) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
            </Select>
          )}
        </Field>
        <Field label="Seats" problem={problemOf(change.error, 'seats')}>
          {(props) => (
            <Input
              {...props}
              type="number"
              min={1}
              max={100_000}
              required
              className="max-w-24"
              value={seats}
              onChange={(event) => setSeats(event.target.valueAsNumber)}
            />
          )}
        </Field>
        <Button
          type="submit"
          look="primary"
          busy={change.isPending}
          disabled={tier === plan.tier && seats === plan.seats && plan.scheduled === null}
        >
          Change plan
        </Button>
        {plan.tier === 'trial' || plan.tier === 'enterprise' ? null : <CancelPlan plan={plan} />}
      </form>
      <p className="border-t border-line px-4 py-2.5 text-xs text-soft">
        A higher plan is in force at once, a lower one from the next period on. For Enterprise, ask
        the operator of this server.
      </p>
    </Card>
  );
}
