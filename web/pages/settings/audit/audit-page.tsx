// Who changed what, and when.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ScrollText } from '../../../ui/icons.tsx';
import { AUDIT_ACTIONS } from '../../../../src/contract/audit-actions.ts';
import { api } from '../../../api/client.ts';
import { useMe } from '../../../session/me.ts';
import { useMay } from '../../../session/rights.ts';
import { ChoiceFilter, FilterBar, TimeFilter, useFilters } from '../../../ui/filters.tsx';
import type { Filters } from '../../../ui/filters.tsx';
import { List, ShowOlder } from '../../../ui/list.tsx';
import { sinceOf } from '../../../ui/since.ts';
import { Card, EmptyState, PageHead } from '../../../ui/surface.tsx';
import { AuditEntry } from './audit-entry.tsx';

const PAGE = 50;
const GROUPS = [...new Set(Object.keys(AUDIT_ACTIONS).map((name) => name.split('.', 1)[0]!))];

function AuditFilters({ filters }: { filters: Filters }) {
  const { data: me } = useMe();
  const members = useQuery({
    queryKey: ['members', me?.team.id],
    queryFn: () => api.teams.members(me!.team.id),
    enabled: me !== undefined,
  });
  const active = (members.data?.items ?? []).filter(({ status }) => status === 'active');
  return (
    <FilterBar>
      <ChoiceFilter filters={filters} name="action" label="Action" all="Every action">
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
      </ChoiceFilter>
      <ChoiceFilter
        filters={filters}
        name="user"
        label="Member"
        all="Everybody"
        options={Object.fromEntries(active.map(({ userId, email }) => [userId, email]))}
      />
      <TimeFilter filters={filters} />
    </FilterBar>
  );
}

function Entries({ filters }: { filters: Filters }) {
  const { action, user, days } = filters.values;
  const since = sinceOf(days);
  const filter = {
    ...(action === undefined ? {} : { action }),
    ...(user === undefined ? {} : { userId: user }),
    ...(since === undefined ? {} : { since }),
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
    select: ({ pages }) => ({ items: pages.flatMap((page) => page.items) }),
  });
  return (
    <List
      query={entries}
      noun="entry"
      filters={filters}
      empty={
        <EmptyState icon={<ScrollText />} title="Nothing was changed yet">
          Changes of members, keys, webhooks and settings show up here.
        </EmptyState>
      }
      rows={8}
      foot={() => <ShowOlder query={entries} />}
    >
      {({ items }) => (
        <ol>
          {items.map((entry) => (
            <AuditEntry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
    </List>
  );
}

export function AuditPage() {
  const filters = useFilters();
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
            <AuditFilters filters={filters} />
            <Entries filters={filters} />
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
