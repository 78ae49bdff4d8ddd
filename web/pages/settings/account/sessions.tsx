import { useQuery } from '@tanstack/react-query';
import { Monitor } from '../../../ui/frame-icons.tsx';
import { Terminal } from '../../../ui/icons.tsx';
import { useState } from 'react';
import type { Session } from '../../../../src/contract/auth-api.ts';
import { call } from '../../../api/client.ts';
import { goToLogin } from '../../../session/login.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Card, CardHead, Loaded } from '../../../ui/surface.tsx';
import { Ago } from '../../../ui/time.tsx';
import { useChange } from '../use-change.ts';

const SESSIONS = '/api/v1/auth/sessions';

/** What a browser calls itself, as people know it. */
function nameOf({ name, userAgent, kind }: Session): string {
  if (kind === 'device') return name ?? 'Command line';
  const agent = userAgent ?? '';
  const browser = /Edg|Firefox|OPR|Chrome|Safari/.exec(agent)?.[0];
  const system = /Windows|Android|iPhone|iPad|Mac OS|Linux/.exec(agent)?.[0];
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS': 'macOS' };
  const words = [browser, system].filter((word) => word !== undefined);
  return words.map((word) => names[word] ?? word).join(' on ') || 'Browser';
}

function SessionLine({ session }: { session: Session }) {
  const end = useChange({
    change: () => call('DELETE', `${SESSIONS}/${session.id}`),
    stale: ['sessions'],
    said: () => `${nameOf(session)} was signed out.`,
  });
  const Icon = session.kind === 'device' ? Terminal : Monitor;
  return (
    <li className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2.5 last:border-b-0">
      <Icon aria-hidden className="size-4 shrink-0 text-faint" />
      <div className="min-w-0 flex-1">
        <div className="text-sm font-medium" title={session.userAgent ?? undefined}>
          {nameOf(session)}
          {session.current ? (
            <span className="ml-2 rounded-full bg-good-soft px-2 py-0.5 text-xs text-good">
              This one
            </span>
          ) : null}
        </div>
        <div className="text-xs text-soft">
          {session.address} · used <Ago time={session.lastUsedAt} /> · expires{' '}
          <Ago time={session.expiresAt} />
        </div>
      </div>
      {session.current ? null : (
        <Button
          size="small"
          aria-label={`Sign out ${nameOf(session)}`}
          busy={end.isPending}
          onClick={() => end.mutate(undefined)}
        >
          Sign out
        </Button>
      )}
    </li>
  );
}

export function Sessions() {
  const [asking, setAsking] = useState(false);
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: () => call<{ items: Session[] }>('GET', SESSIONS),
  });
  const endAll = useChange({
    change: () => call('DELETE', SESSIONS),
    stale: [],
    onDone: goToLogin,
  });
  return (
    <Card className="mb-6">
      <CardHead title="Where you are signed in">
        <Button size="small" look="danger" onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      </CardHead>
      <Loaded query={sessions} rows={2}>
        {({ items }) => (
          <ul>
            {items.map((session) => (
              <SessionLine key={session.id} session={session} />
            ))}
          </ul>
        )}
      </Loaded>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        busy={endAll.isPending}
        onConfirm={() => endAll.mutate(undefined)}
      >
        Ends all your sessions, this one and those of command lines too. API keys keep working.
      </ConfirmDialog>
    </Card>
  );
}
