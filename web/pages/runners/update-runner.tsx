// How a runner gets the version of the server: on its machine, so this is the command for it.
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { CopyBlock } from '../../ui/copy.tsx';

const INSTALL = 'git pull && npm pack && npm install --global ./millrace-*.tgz';

export function UpdateRunner({ name }: { name: string }) {
  const { data } = useQuery({
    queryKey: ['version'],
    queryFn: () => call<{ version: string }>('GET', '/healthz'),
    staleTime: Infinity,
  });
  return (
    <details className="text-sm">
      <summary className="text-xs text-warn">Not that of the server: update it</summary>
      <p className="mt-1.5 mb-1 text-xs text-soft">
        On its machine, in a clone of Millrace. The server has version {data?.version ?? 'unknown'}:
      </p>
      <CopyBlock label={`Command that updates ${name}`} text={INSTALL} />
      <p className="mt-1.5 text-xs text-soft">
        Then stop the runner and start it again. What it has under way is given back, and continues.
      </p>
    </details>
  );
}
