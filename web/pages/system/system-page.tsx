// How the server is doing: for those who manage it. Others see its version and whether it is up.
import { useQuery } from '@tanstack/react-query';
import { MillraceError } from '../../../src/client/index.ts';
import type { SystemState } from '../../../src/contract/system-api.ts';
import { call } from '../../api/client.ts';
import { useMe } from '../../session/me.ts';
import { jobWaitingText } from '../../live/job-waiting.ts';
import { suggestCommand } from '../../../src/domain/command/suggested-command.ts';
import { plainLaunch } from '../../ui/command.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { formatBytes, formatCount, plural } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, CardHead, Loaded, PageHead } from '../../ui/surface.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import { Stat } from '../usage/stat.tsx';
import { Nodes } from './nodes.tsx';
import { Waits } from './waits.tsx';

/** Nothing tells of nodes and their beats: looked at every so often. */
const LOOK_MS = 5000;

function Queue({ queue }: Pick<SystemState, 'queue'>) {
  const { oldest } = queue;
  return (
    <Stat
      name="Queue"
      value={`${formatCount(queue.pending)} pending`}
      note={
        oldest === null ? (
          'Nothing waits'
        ) : (
          <>
            The oldest has waited <Since time={Date.parse(oldest.queuedAt)} />
            {oldest.waiting ? `: ${jobWaitingText(oldest.waiting)}` : ' for a free slot'}
          </>
        )
      }
    />
  );
}

/** Of interest where it is not the usual. */
function modesText({ signals, liveness }: SystemState['database']): string {
  const heard = signals.mode === 'notify' ? 'NOTIFY' : `polling (${signals.why})`;
  return `signals by ${heard}, nodes by ${liveness.mode}`;
}

function State({ state }: { state: SystemState }) {
  const { nodes, queue, webhooks, database } = state;
  const slots = nodes.reduce((sum, node) => sum + node.slots, 0);
  return (
    <>
      <div className="mb-4 grid grid-cols-2 gap-3 xl:grid-cols-4">
        <Stat
          name="Running"
          value={`${formatCount(queue.running)} of ${formatCount(slots)}`}
          note={`slots of ${plural(nodes.length, 'node')} in use`}
        />
        <Queue queue={queue} />
        <Stat
          name="Webhooks"
          value={`${formatCount(webhooks.pending)} to send`}
          note={
            webhooks.oldestAt === null ? (
              'All deliveries are sent'
            ) : (
              <>
                {webhooks.failing > 0 ? `${formatCount(webhooks.failing)} being retried; ` : ''}
                the oldest is from <Ago time={webhooks.oldestAt} />
              </>
            )
          }
        />
        <Stat
          name="Database"
          value={`${database.latencyMs.toFixed(0)} ms`}
          note={`PostgreSQL ${database.version.split(' ')[0]}, ${formatBytes(database.sizeBytes)}, schema ${database.schemaVersion} (${database.schemaName}); ${modesText(database)}`}
        />
      </div>
      <div className="flex flex-col gap-4">
        <Nodes nodes={nodes} />
        <Waits waits={state.waits} />
        {nodes.length === 1 ? (
          <Card>
            <CardHead title="Add a node" />
            <div className="flex flex-col gap-3 p-4 text-sm text-soft">
              <p>
                Any number of nodes can share one database. Start another one with the same database
                and master key:
              </p>
              <CopyBlock
                text={`DATABASE_URL=postgres://... MILLRACE_MASTER_KEY=... ${suggestCommand(plainLaunch(), 'serve', '--role', 'worker')}`}
              />
            </div>
          </Card>
        ) : null}
      </div>
    </>
  );
}

interface Health {
  status: string;
  version: string;
}

function PublicHealth() {
  const health = useQuery({
    queryKey: ['system', 'health'],
    queryFn: () => call<Health>('GET', '/healthz'),
    refetchInterval: LOOK_MS,
  });
  return (
    <Loaded query={health} rows={2}>
      {({ version }) => (
        <Card className="flex flex-wrap items-center gap-3 px-4 py-4 text-sm">
          <StatusBadge status="success" word="Up" />
          <span>Millrace {version}</span>
          <span className="text-soft">
            Nodes, queue and database are shown to server administrators.
          </span>
        </Card>
      )}
    </Loaded>
  );
}

export function SystemPage() {
  const { data: me } = useMe();
  const isAdmin = me?.user.isAdmin ?? false;
  const state = useQuery({
    queryKey: ['system'],
    queryFn: () => call<SystemState>('GET', '/api/v1/admin/system'),
    refetchInterval: LOOK_MS,
    enabled: isAdmin,
  });
  // Somebody took the right away while the page was open.
  const isRefused = state.error instanceof MillraceError && state.error.status === 403;
  return (
    <>
      <PageHead
        title="System"
        lead={
          state.data && !isRefused
            ? `Millrace ${state.data.version}, ${plural(state.data.nodes.length, 'node')}`
            : 'How this server is doing.'
        }
      />
      {isAdmin && !isRefused ? (
        <Loaded query={state}>{(data) => <State state={data} />}</Loaded>
      ) : (
        <PublicHealth />
      )}
    </>
  );
}
