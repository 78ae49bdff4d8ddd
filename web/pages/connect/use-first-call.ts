// Notices the first call that reaches the server after the page was opened.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { listJobs } from '../../api/jobs.ts';
import { subscribe } from '../../live/live.ts';

/** Not every call starts a job, which would be announced: looked at every so often while one waits. */
const LOOK_MS = 3000;

export interface FirstCall {
  /** Of a job, when there is one. */
  jobId: string | undefined;
}

interface Traces {
  jobId: string;
  /** Of runs that a command line reports. */
  runId: string;
  /** When each key of the person was used last: a call that leaves nothing else behind. */
  keys: Map<string, string | null>;
}

async function lookForTraces(): Promise<Traces> {
  const [jobs, runs, keys] = await Promise.all([
    listJobs({ limit: 1 }),
    api.listRuns({ limit: 1 }),
    api.apiKeys.list(),
  ]);
  return {
    jobId: jobs.items[0]?.jobId ?? '',
    runId: runs.items[0]?.id ?? '',
    keys: new Map(keys.items.map(({ id, lastUsedAt }) => [id, lastUsedAt])),
  };
}

function firstCallIn(before: Traces, now: Traces): FirstCall | undefined {
  // Ids of jobs grow: what is newer than the newest of before has come since.
  if (now.jobId > before.jobId) return { jobId: now.jobId };
  const isUsed = [...now.keys].some(([id, at]) => at !== (before.keys.get(id) ?? null));
  return isUsed || now.runId !== before.runId ? { jobId: undefined } : undefined;
}

export function useFirstCall(): FirstCall | undefined {
  const [before, setBefore] = useState<Traces>();
  const [found, setFound] = useState<FirstCall>();
  const { data: now, refetch } = useQuery({
    queryKey: ['connect', 'traces'],
    queryFn: lookForTraces,
    // A job may follow the first use of its key by a moment.
    enabled: found?.jobId === undefined,
    refetchInterval: LOOK_MS,
    // What was seen on an earlier visit is not what it was before this one.
    gcTime: 0,
  });
  useEffect(() => {
    if (now === undefined) return;
    if (before === undefined) setBefore(now);
    else setFound((known) => firstCallIn(before, now) ?? known);
  }, [before, now]);
  useEffect(() => subscribe('team', () => void refetch()), [refetch]);
  return found;
}
