// Who changed what, and when.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText, Search } from 'lucide-react';
import { AUDIT_ACTIONS } from '../../../../src/contract/audit-actions.ts';
import { api } from '../../../api/client.ts';
import { useMe } from '../../../session/me.ts';
import { Button } from '../../../ui/button.tsx';
import { Select } from '../../../ui/field.tsx';
import { Card, EmptyState, Loaded, PageHead } from '../../../ui/surface.tsx';
import { useMay } from '../../../session/rights.ts';
import { AuditEntry } from './audit-entry.tsx';

const PAGE = 50;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const GROUPS = [...new Set(Object.keys(AUDIT_ACTIONS).map((name) => name.split('.', 1)[0]!))];

/** To the hour: the same address asks the same question for a while. */
const sinceOf = (days: string) =>
  new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - Number(days) * DAY_MS).toISOString();

function Filters() {
  const search = useSearch({ from: '/settings/$' });
  const navigate = useNavigate({ from: '/settings/$' });
  const { data: me } = useMe();
  const members = useQuery({
    queryKey: ['members', me?.team.id],
    queryFn: () => api.teams.members(me!.team.id),
    enabled: me !== undefined,
  });
  const set = (name: string, value: string) =>
    void navigate({
      search: Object.fromEntries(
        Object.entries({ ...search, [name]: value }).filter(([, text]) => text !== ''),
      ),
      replace: true,
    });
  return (
    <div className="flex flex-wrap gap-2 border-b border-line p-3">
      <Select
        aria-label="Action"
        value={search['action'] ?? ''}
        onChange={(event) => set('action', event.target.value)}
      >
        <option value="">Every action</option>
        {GROUPS.map((group) => (
          <optgroup key={group} label={group.replace('_', ' ')}>
            <option value={`${group}.*`}>{group}.*</option>
            {Object.keys(AUDIT_ACTIONS)
              .filter((name) => name.startsWith(`${group}.`))
              .map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
          </optgroup>
        ))}
      </Select>
      <Select
        aria-label="Member"
        value={search['user'] ?? ''}
        onChange={(event) => set('user', event.target.value)}
      >
        <option value="">Everybody</option>
        {(members.data?.items ?? [])
          .filter(({ status }) => status === 'active')
          .map(({ userId, email }) => (
            <option key={userId} value={userId}>
              {email}
            </option>
          ))}
      </Select>
      <Select
        aria-label="Time"
        value={search['days'] ?? ''}
        onChange={(event) => set('days', event.target.value)}
      >
        <option value="">Any time</option>
        <option value="1">Last 24 hours</option>
        <option value="7">Last 7 days</option>
        <option value="30">Last 30 days</option>
      </Select>
    </div>
  );
}

function Entries() {
  const search = useSearch({ from: '/settings/$' });
  const navigate = useNavigate({ from: '/settings/$' });
  const { action, user, days } = search;
  const filter = {
    ...(action === undefined ? {} : { action }),
    ...(user === undefined ? {} : { userId: user }),
    ...(days === undefined ? {} : { since: sinceOf(days) }),
  };
  const entries = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      api.audit.list(
        { ...filter, limit: PAGE, ...(pageParam === '' ? {} : { before: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return (
    <Loaded query={entries} rows={8}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length === 0) {
          return Object.keys(filter).length > 0 ? (
            <EmptyState icon={<Search />} title="No entry matches">
              <Button onClick={() => void navigate({ search: {} })}>Clear the filters</Button>
            </EmptyState>
          ) : (
            <EmptyState icon={<ScrollText />} title="Nothing was changed yet">
              Changes of members, keys, webhooks and settings show up here.
            </EmptyState>
          );
        }
        return (
          <>
            <ol>
              {items.map((entry) => (
                <AuditEntry key={entry.id} entry={entry} />
              ))}
            </ol>
            {entries.hasNextPage ? (
              <div className="border-t border-line p-3">
                <Button size="small" onClick={() => void entries.fetchNextPage()}>
                  Show older
                </Button>
              </div>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

export function AuditPage() {
  const mayManage = useMay('manage');
  return (
    <>
      <PageHead
        title="Audit log"
        lead="Every change to the team's access, money and settings. Nobody can edit it; entries are kept for 400 days."
      />
      <Card>
        {mayManage ? (
          <>
            <Filters />
            <Entries />
          </>
        ) : (
          <EmptyState icon={<ScrollText />} title="For admins and owners">
            Ask one of them if you need to know who changed something.
          </EmptyState>
        )}
      </Card>
    </>
  );
}
