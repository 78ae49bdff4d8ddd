// Runs that are asked for when something happens elsewhere.
import { Link } from '@tanstack/react-router';
import type { Trigger } from '../../../src/contract/trigger-api.ts';
import { useMayWrite } from '../../session/rights.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Zap } from '../../ui/frame-icons.tsx';
import { Plus } from '../../ui/icons.tsx';
import { List } from '../../ui/list.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Card, EmptyState, PageHead } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { titleOf } from '../requests/request-title.tsx';
import { StartResult } from '../starts/start-result.tsx';
import { StarterState } from '../starts/starter-state.tsx';
import { KIND_WORDS } from './event-words.ts';
import { useTriggers } from './use-triggers.ts';

const COLUMNS: readonly Column<Trigger>[] = [
  {
    head: 'Name',
    kind: 'title',
    className: 'max-w-xs',
    cell: (trigger) => (
      <>
        <Link
          to="/triggers/$id"
          params={{ id: trigger.id }}
          className="line-clamp-2 font-medium [overflow-wrap:anywhere] hover:text-accent hover:underline"
        >
          <PlainText text={trigger.name} />
        </Link>
        <p className="mt-0.5 line-clamp-1 text-xs font-normal text-soft [overflow-wrap:anywhere]">
          <PlainText text={titleOf(trigger)} />
        </p>
      </>
    ),
  },
  { head: 'Project', label: 'Project', cell: ({ work }) => work.project },
  {
    head: 'Called by',
    label: 'Called by',
    className: 'max-w-56 [overflow-wrap:anywhere]',
    cell: ({ kind, repository }) => (
      <>
        {KIND_WORDS[kind]}
        <span className="block text-xs text-soft">{repository}</span>
      </>
    ),
  },
  { head: 'State', cell: (trigger) => <StarterState starter={trigger} /> },
  {
    head: 'Last',
    label: 'Last',
    cell: ({ lastDelivery }) =>
      lastDelivery === null ? (
        <span className="text-faint">not yet</span>
      ) : (
        <>
          <StartResult start={lastDelivery} />
          <Ago time={lastDelivery.at} className="text-xs text-soft" />
        </>
      ),
  },
];

const NewTrigger = () => (
  <Link to="/triggers/new" className={buttonClass('primary')}>
    <Plus aria-hidden />
    New trigger
  </Link>
);

export function TriggersPage() {
  const mayWrite = useMayWrite();
  const triggers = useTriggers();
  const isEmpty = triggers.data?.items.length === 0;
  return (
    <>
      <PageHead
        title="Triggers"
        lead="Each asks a runner for a run when something happens elsewhere, as the person who made it."
      >
        {mayWrite && !isEmpty ? <NewTrigger /> : null}
      </PageHead>
      <Card>
        <List
          query={triggers}
          noun="trigger"
          empty={
            <EmptyState icon={<Zap />} title="No triggers yet">
              <p>
                A trigger starts work by itself: for a label or a comment on GitHub or GitLab, a
                push, a check that fails, or a call of a URL of its own. A runner that has the
                project makes the run.
              </p>
              {mayWrite ? <NewTrigger /> : null}
            </EmptyState>
          }
        >
          {({ items }) => (
            <Table label="Triggers" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
          )}
        </List>
      </Card>
    </>
  );
}
