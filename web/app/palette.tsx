// Everything by name: pages, recent work, the documentation, teams, and what can be done from anywhere.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { BookOpen, Monitor } from '../ui/frame-icons.tsx';
import { Keyboard, LogOut, Moon, Pause, Play, Plus, Sun, Users } from '../ui/icons.tsx';
import * as Dialog from 'radix-ui/dialog';
import type { ComponentType } from 'react';
import { api } from '../api/client.ts';
import { chooseTeam } from '../session/team.ts';
import { listJobs } from '../api/jobs.ts';
import { pauseLive, resumeLive, useLiveState } from '../live/live.ts';
import { titleOf } from '../pages/jobs/call-title.tsx';
import { SETTINGS_PAGES } from '../pages/settings/settings-pages.ts';
import { shortId } from '../ui/copy.tsx';
import { StatusIcon } from '../ui/status.tsx';
import { toastError } from '../ui/toast.tsx';
import { docsPages } from './docs-pages.ts';
import { NAV_PAGES } from './nav-pages.ts';
import { signOut } from '../session/sign-out.ts';
import { chooseTheme } from './theme.ts';
import { useMe } from '../session/me.ts';
import { useMayWrite } from '../session/rights.ts';

const RECENT = 8;

interface Entry {
  label: string;
  /** Tells entries with the same name apart. */
  id?: string;
  /** More words that it is found by. */
  about?: string;
  Icon: ComponentType<{ className?: string }>;
  act: () => void;
}

const GROUP =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 ' +
  '[&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint';

function Entries({ heading, entries }: { heading: string; entries: readonly Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <Command.Group heading={heading} className={GROUP}>
      {entries.map(({ label, id, about, Icon, act }) => (
        <Command.Item
          key={id ?? label}
          value={`${heading} ${label} ${id ?? about ?? ''}`}
          onSelect={act}
          className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 text-sm data-[selected=true]:bg-hover"
        >
          <Icon className="size-4 shrink-0 text-soft" />
          <span className="truncate">{label}</span>
          {id ? (
            <span className="ml-auto shrink-0 font-mono text-2xs text-faint max-sm:hidden">
              {shortId(id)}
            </span>
          ) : null}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

function useEntries(onClose: () => void, onKeys: () => void) {
  const navigate = useNavigate();
  const { data: me } = useMe();
  const { isPaused } = useLiveState();
  const runs = useQuery({
    queryKey: ['runs', 'recent'],
    queryFn: ({ signal }) => api.listRuns({ limit: RECENT }, { signal }),
  });
  const executions = useQuery({
    queryKey: ['executions', 'recent'],
    queryFn: ({ signal }) => api.executions.list({ limit: RECENT }, { signal }),
  });
  const jobs = useQuery({
    queryKey: ['jobs', 'recent'],
    queryFn: () => listJobs({ limit: RECENT }),
  });
  const docs = useQuery({ queryKey: ['docs'], queryFn: docsPages, staleTime: Infinity });
  const mayWrite = useMayWrite();
  const teams = useQuery({ queryKey: ['teams'], queryFn: () => api.teams.list() });
  const then = (act: () => void) => () => {
    onClose();
    act();
  };
  const go = (to: string) => then(() => void navigate({ to }));
  const pages: Entry[] = [
    ...NAV_PAGES.map(({ label, to, Icon }) => ({ label, Icon, act: go(to) })),
    ...SETTINGS_PAGES.map(({ label, path, Icon }) => ({
      label: `Settings: ${label}`,
      Icon,
      act: go(`/settings/${path}`),
    })),
    { label: 'Documentation', Icon: BookOpen, act: then(() => location.assign('/docs')) },
  ];
  const recent = (runs.data?.items ?? []).map(({ id, feature, status }): Entry => ({
    label: feature,
    id,
    Icon: () => <StatusIcon status={status} />,
    act: go(`/runs/${id}`),
  }));
  const recentExecutions = (executions.data?.items ?? []).map(({ id, task, status }): Entry => ({
    label: task,
    id,
    Icon: () => <StatusIcon status={status} />,
    act: go(`/executions/${id}`),
  }));
  const recentJobs = (jobs.data?.items ?? []).map((job): Entry => ({
    label:
      job.kind === 'call' && job.runId === null ? titleOf(job) : `${titleOf(job)}, ${job.model}`,
    id: job.jobId,
    Icon: () => <StatusIcon status={job.status} />,
    act: go(`/jobs/${job.jobId}`),
  }));
  const documents = (docs.data ?? []).map(({ title, url, about }): Entry => ({
    label: title,
    about,
    Icon: BookOpen,
    act: then(() => location.assign(url)),
  }));
  const work: Entry[] = mayWrite
    ? [
        { label: 'New run', Icon: Plus, act: go('/requests/new') },
        { label: 'New schedule', Icon: Plus, act: go('/schedules/new') },
        { label: 'New trigger', Icon: Plus, act: go('/triggers/new') },
        { label: 'New execution', Icon: Plus, act: go('/executions/new') },
        { label: 'New job', Icon: Plus, act: go('/jobs/new') },
        { label: 'Add a provider key', Icon: Plus, act: go('/settings/provider-keys') },
        { label: 'Create an API key', Icon: Plus, act: go('/settings/api-keys') },
        { label: 'Invite to the team', Icon: Plus, act: go('/settings/team') },
        { label: 'Add a webhook', Icon: Plus, act: go('/settings/webhooks') },
      ]
    : [];
  const others = (teams.data?.items ?? []).filter(({ id }) => id !== me?.team.id);
  const actions: Entry[] = [
    ...work,
    isPaused
      ? { label: 'Resume live updates', Icon: Play, act: then(resumeLive) }
      : { label: 'Pause live updates', Icon: Pause, act: then(pauseLive) },
    { label: 'Light theme', Icon: Sun, act: then(() => chooseTheme('light')) },
    { label: 'Dark theme', Icon: Moon, act: then(() => chooseTheme('dark')) },
    { label: 'System theme', Icon: Monitor, act: then(() => chooseTheme('system')) },
    ...others.map(({ id, name }) => ({
      label: `Switch to ${name}`,
      Icon: Users,
      act: then(() => chooseTeam(id)),
    })),
    { label: 'Keyboard shortcuts', Icon: Keyboard, act: onKeys },
    { label: 'Sign out', Icon: LogOut, act: then(() => void signOut().catch(toastError)) },
  ];
  return { pages, recent, recentExecutions, recentJobs, documents, actions };
}

export function Palette({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) {
  const entries = useEntries(onClose, onKeys);
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-xl border border-line-strong bg-raised shadow-pop"
        >
          <Dialog.Title className="sr-only">Command palette</Dialog.Title>
          <Command label="Search pages, work, documentation and actions" loop>
            <Command.Input
              placeholder="Search pages, work, documentation and actions"
              className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none placeholder:text-faint"
            />
            <Command.List
              label="Results"
              className="max-h-[50vh] overflow-y-auto p-1.5 outline-none"
            >
              <Command.Empty className="px-4 py-8 text-center text-sm text-soft">
                Nothing matches.
              </Command.Empty>
              {/* Pages first: they are there at once, and what is selected stays at the top. */}
              <Entries heading="Pages" entries={entries.pages} />
              <Entries heading="Recent runs" entries={entries.recent} />
              <Entries heading="Recent executions" entries={entries.recentExecutions} />
              <Entries heading="Recent jobs" entries={entries.recentJobs} />
              <Entries heading="Actions" entries={entries.actions} />
              <Entries heading="Documentation" entries={entries.documents} />
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
