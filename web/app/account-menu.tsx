import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Monitor } from '../ui/frame-icons.tsx';
import { Check, ChevronsUpDown, LogOut, Moon, Sun, User } from '../ui/icons.tsx';
import { api } from '../api/client.ts';
import { chooseTeam } from '../session/team.ts';
import { Menu } from '../ui/menu.tsx';
import type { MenuItem } from '../ui/menu.tsx';
import { toastError } from '../ui/toast.tsx';
import { signOut } from '../session/sign-out.ts';
import { chooseTheme } from './theme.ts';
import { useMe } from '../session/me.ts';

export function AccountMenu() {
  const { data: me } = useMe();
  const navigate = useNavigate();
  const teams = useQuery({ queryKey: ['teams'], queryFn: () => api.teams.list() });
  if (me === undefined) return null;
  const teamItems = (teams.data?.items ?? []).map((team): MenuItem => ({
    label: team.name,
    icon: team.id === me.team.id ? <Check /> : <span className="size-4" />,
    onSelect: () => chooseTeam(team.id),
  }));
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="flex h-8 max-w-52 items-center gap-2 rounded-md px-2 text-sm text-soft hover:bg-hover hover:text-text"
        >
          <span
            aria-hidden
            className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent-strong uppercase"
          >
            {(me.user.name ?? me.user.email).slice(0, 1)}
          </span>
          <span className="sr-only">Account and team: {me.user.email}</span>
          <span className="hidden truncate sm:inline">{me.team.name}</span>
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0" />
        </button>
      }
      items={[
        ...teamItems,
        ...(teamItems.length > 0 ? [null] : []),
        {
          label: 'Account',
          icon: <User />,
          onSelect: () => void navigate({ to: '/settings/$', params: { _splat: 'account' } }),
        },
        null,
        { label: 'Light theme', icon: <Sun />, onSelect: () => chooseTheme('light') },
        { label: 'Dark theme', icon: <Moon />, onSelect: () => chooseTheme('dark') },
        { label: 'System theme', icon: <Monitor />, onSelect: () => chooseTheme('system') },
        null,
        { label: 'Sign out', icon: <LogOut />, onSelect: () => void signOut().catch(toastError) },
      ]}
    />
  );
}
