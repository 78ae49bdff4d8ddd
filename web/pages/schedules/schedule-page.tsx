// One schedule: when it is due, what it runs, and what each time came to.
import { useParams } from '@tanstack/react-router';
import type { Schedule } from '../../../src/contract/schedule-api.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Fact } from '../../ui/facts.tsx';
import { SkipForward } from '../../ui/icons.tsx';
import { Path } from '../../ui/path.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Card, CardHead, Loaded, PageHead } from '../../ui/surface.tsx';
import { RequestWork } from '../requests/request-work.tsx';
import { useChange } from '../settings/use-change.ts';
import { StarterActions } from '../starts/starter-actions.tsx';
import { StarterFacts } from '../starts/starter-facts.tsx';
import { PausedNotice } from '../starts/starter-state.tsx';
import { FiringLog } from './firing-log.tsx';
import { useSchedule } from './use-schedules.ts';
import { NextTimes, When } from './when.tsx';

function RunNow({ id }: { id: string }) {
  const run = useChange({
    change: () => api.schedules.runNow(id),
    stale: ['schedules', 'schedule', 'schedule-firings', 'requests'],
    said: () => 'Its run was asked for, as you.',
  });
  return (
    <Button
      look="primary"
      icon={<SkipForward />}
      busy={run.isPending}
      onClick={() => run.mutate(undefined)}
    >
      Run now
    </Button>
  );
}

function Shown({ schedule }: { schedule: Schedule }) {
  const mayWrite = useMayWrite();
  const { id, name, next, timeZone, catchUp, work } = schedule;
  return (
    <>
      <PageHead title={<PlainText text={name} />}>
        {mayWrite ? (
          <StarterActions noun="schedule" starter={schedule}>
            <RunNow id={id} />
          </StarterActions>
        ) : null}
      </PageHead>
      <PausedNotice starter={schedule} />
      <StarterFacts starter={schedule}>
        <Fact name="When">
          <When schedule={schedule} />
        </Fact>
        <Fact name="After times that were missed">
          {catchUp === 'once' ? 'One run for all' : 'Nothing'}
        </Fact>
      </StarterFacts>
      <div className="flex flex-col gap-4">
        {next.length === 0 ? null : (
          <Card>
            <CardHead title="Next times" />
            <div className="p-4">
              <NextTimes label="Next times" times={next} timeZone={timeZone} />
            </div>
          </Card>
        )}
        <RequestWork work={work} title="What it runs" />
        <FiringLog id={id} />
      </div>
    </>
  );
}

export function SchedulePage() {
  const { id } = useParams({ from: '/schedules/$id' });
  const schedule = useSchedule(id);
  return (
    <>
      <Path to="/schedules" label="Schedules">
        <CopyId id={id} />
      </Path>
      <Loaded query={schedule}>{(found) => <Shown schedule={found} />}</Loaded>
    </>
  );
}
