// Runs that are asked for at certain times.
import { Link } from '@tanstack/react-router';
import type { Schedule } from '../../../src/contract/schedule-api.ts';
import { useMayWrite } from '../../session/rights.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Clock } from '../../ui/frame-icons.tsx';
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
import { useSchedules } from './use-schedules.ts';
import { NextTime, When } from './when.tsx';

const COLUMNS: readonly Column<Schedule>[] = [
  {
    head: 'Name',
    kind: 'title',
    className: 'max-w-xs',
    cell: (schedule) => (
      <>
        <Link
          to="/schedules/$id"
          params={{ id: schedule.id }}
          className="line-clamp-2 font-medium [overflow-wrap:anywhere] hover:text-accent hover:underline"
        >
          <PlainText text={schedule.name} />
        </Link>
        <p className="mt-0.5 line-clamp-1 text-xs font-normal text-soft [overflow-wrap:anywhere]">
          <PlainText text={titleOf(schedule)} />
        </p>
      </>
    ),
  },
  { head: 'Project', label: 'Project', cell: ({ work }) => work.project },
  { head: 'When', label: 'When', cell: (schedule) => <When schedule={schedule} /> },
  {
    head: 'Next',
    label: 'Next',
    cell: ({ next: [time], timeZone }) =>
      time === undefined ? (
        <span className="text-faint">none</span>
      ) : (
        <NextTime time={time} timeZone={timeZone} />
      ),
  },
  { head: 'State', cell: (schedule) => <StarterState starter={schedule} /> },
  {
    head: 'Last',
    label: 'Last',
    cell: ({ lastFiring }) =>
      lastFiring === null ? (
        <span className="text-faint">not yet</span>
      ) : (
        <>
          <StartResult start={lastFiring} />
          <Ago time={lastFiring.at} className="text-xs text-soft" />
        </>
      ),
  },
];

const NewSchedule = () => (
  <Link to="/schedules/new" className={buttonClass('primary')}>
    <Plus aria-hidden />
    New schedule
  </Link>
);

export function SchedulesPage() {
  const mayWrite = useMayWrite();
  const schedules = useSchedules();
  const isEmpty = schedules.data?.items.length === 0;
  return (
    <>
      <PageHead
        title="Schedules"
        lead="Each asks a runner for a run at its times, as the person who made it."
      >
        {mayWrite && !isEmpty ? <NewSchedule /> : null}
      </PageHead>
      <Card>
        <List
          query={schedules}
          noun="schedule"
          empty={
            <EmptyState icon={<Clock />} title="No schedules yet">
              <p>
                A schedule does work that comes again, such as dead links every night or upgrades
                every Monday. A runner that has the project makes the run.
              </p>
              {mayWrite ? <NewSchedule /> : null}
            </EmptyState>
          }
        >
          {({ items }) => (
            <Table label="Schedules" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
          )}
        </List>
      </Card>
    </>
  );
}
