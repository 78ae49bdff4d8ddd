// Where a sandboxed process may connect to.

export type NetworkPolicy =
  /** Only a loopback of its own. */
  | { kind: 'none' }
  /** By name, ports 80 and 443, through the proxy. */
  | { kind: 'hosts'; hosts: readonly string[] };

/** A host that a process tried to reach and may not; each once. */
export interface RefusedHost {
  host: string;
  reason: 'not allowed' | 'not public' | 'port' | 'address';
}

/** `example.com` means that name; `*.example.com` every name below it. */
export function isAllowedHost(hosts: readonly string[], host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return hosts.some((one) => {
    const allowed = one.toLowerCase();
    return allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed;
  });
}
