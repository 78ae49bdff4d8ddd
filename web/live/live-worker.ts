// The worker that all tabs of a browser share.
import { createHub } from './hub.ts';
import type { HubClient } from './hub.ts';
import type { ToWorker } from './protocol.ts';

const hub = createHub();

addEventListener('connect', (event) => {
  const port = (event as MessageEvent).ports[0]!;
  const client: HubClient = { send: (message) => port.postMessage(message) };
  port.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => hub.receive(client, data));
  // Of a tab that could not say so itself; not every browser tells.
  port.addEventListener('close', () => hub.leave(client));
  port.start();
});
