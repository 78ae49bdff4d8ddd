// The form of a new schedule, and of one that is there.
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project, Runner } from '../../../src/contract/runner-api.ts';
import type { Schedule } from '../../../src/contract/schedule-api.ts';
import { api } from '../../api/client.ts';
import { WritersOnly } from '../../session/writers-only.tsx';
import { shortId } from '../../ui/copy.tsx';
import { Path } from '../../ui/path.tsx';
import { Card, Loaded, PageHead } from '../../ui/surface.tsx';
import { toast } from '../../ui/toast.tsx';
import { NoRunners } from '../runners/start-runner.tsx';
import { useRunnersAndProjects } from '../runners/use-runners.ts';
import { ChangedMeanwhile } from '../starts/changed-meanwhile.tsx';
import { isSame } from '../starts/rules-draft.ts';
import { newDraft, scheduleChange, scheduleDraftOf, scheduleOf } from './schedule-draft.ts';
import { ScheduleForm } from './schedule-form.tsx';
import { useSchedule } from './use-schedules.ts';

/** To the page of the schedule. */
function useLeave() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async ({ id }: Schedule, said: string) => {
    await navigate({ to: '/schedules/$id', params: { id } });
    toast(said, 'good');
    for (const key of ['schedule', 'schedules']) {
      void client.invalidateQueries({ queryKey: [key] });
    }
  };
}

export function NewSchedulePage() {
  const { project } = useSearch({ from: '/schedules/new' });
  const known = useRunnersAndProjects();
  const leave = useLeave();
  return (
    <>
      <Path to="/schedules" label="Schedules">
        New
      </Path>
      <PageHead
        title="New schedule"
        lead="At its times it asks a runner for a run, which acts and pays as you."
      />
      <WritersOnly to="make a schedule">
        <Loaded query={known}>
          {({ projects, runners }) =>
            projects.length === 0 ? (
              <Card>
                <NoRunners />
              </Card>
            ) : (
              <ScheduleForm
                first={newDraft(project ?? projects[0]!.name)}
                before={undefined}
                projects={projects}
                runners={runners}
                action="Create the schedule"
                save={async (draft) =>
                  leave(await api.schedules.create(scheduleOf(draft)), 'The schedule was created.')
                }
              />
            )
          }
        </Loaded>
      </WritersOnly>
    </>
  );
}

function EditForm({
  now,
  ...known
}: {
  now: Schedule;
  projects: readonly Project[];
  runners: readonly Runner[];
}) {
  // What is sent is what differs from this, not from what others have made of it meanwhile.
  const [before] = useState(now);
  const [first] = useState(() => scheduleDraftOf(now));
  const leave = useLeave();
  return (
    <>
      <ChangedMeanwhile isChanged={!isSame(scheduleDraftOf(now), first)} />
      <ScheduleForm
        {...known}
        first={first}
        before={before}
        action="Save the schedule"
        save={async (draft) =>
          leave(
            await api.schedules.update(before.id, scheduleChange(draft, first, before)),
            'The schedule was saved.',
          )
        }
      />
    </>
  );
}

export function EditSchedulePage() {
  const { id } = useParams({ from: '/schedules/$id/edit' });
  const known = useRunnersAndProjects();
  const schedule = useSchedule(id, { isFresh: true });
  const both = {
    // As it is now: the form begins with it.
    data:
      known.data && schedule.data && schedule.isFetchedAfterMount
        ? { ...known.data, now: schedule.data }
        : undefined,
    error: known.error ?? schedule.error,
    refetch: () => Promise.all([known.refetch(), schedule.refetch()]),
  };
  return (
    <>
      <Path to="/schedules" label="Schedules">
        <Link to="/schedules/$id" params={{ id }} className="hover:text-text hover:underline">
          {shortId(id)}
        </Link>
        <span className="mx-1.5 text-faint">/</span>
        Edit
      </Path>
      <PageHead title="Edit the schedule" />
      <WritersOnly to="change a schedule">
        <Loaded query={both}>{(data) => <EditForm key={id} {...data} />}</Loaded>
      </WritersOnly>
    </>
  );
}
