import { createServer } from 'node:net';

/** Rejects with the error that listening there would end with. */
export async function tryListening(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
