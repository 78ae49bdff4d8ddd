// Notices the first call that reaches the server after the page was opened.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { listJobs } from '../../api/jobs.ts';
import { subscribe } from '../../live/live.ts';

const newestJob = async () => (await listJobs({ limit: 1 })).items[0]?.jobId ?? '';

/** No event tells that a key was used: looked at every so often while one waits. */
const LOOK_MS = 3000;

export interface FirstCall {
  /** Of a job, when there is one. */
  jobId: string | undefined;
}

/** `keyId`: of a key that was made here; any call with it counts. */
export function useFirstCall(keyId: string | undefined): FirstCall | undefined {
  const [found, setFound] = useState<FirstCall>();
  useEffect(() => {
    // Ids grow: what is newer than the newest of now has come since.
    const before = newestJob();
    before.catch(() => undefined);
    const look = async () => {
      const [known, newest] = await Promise.all([before, newestJob()]);
      if (newest > known) setFound({ jobId: newest });
    };
    return subscribe('team', () => void look().catch(() => undefined));
  }, []);
  const used = useQuery({
    queryKey: ['api-keys', 'used', keyId],
    queryFn: async () => {
      const { items } = await api.apiKeys.list();
      return items.find(({ id }) => id === keyId)?.lastUsedAt ?? null;
    },
    enabled: keyId !== undefined && found === undefined,
    refetchInterval: LOOK_MS,
  });
  return found ?? (used.data ? { jobId: undefined } : undefined);
}
