// `fetch` as tests need it. Unless told, it gives up connecting after ten seconds, and may send a request on a
// connection that the server is about to close: a machine that stands still for seconds does both.
import { Agent, setGlobalDispatcher } from 'undici';
import { PATIENCE_MS } from './patience.ts';

const SET = Symbol.for('millrace.patient-fetch');
const process_ = globalThis as { [SET]?: true };

// Once a process, though it is loaded for each file.
if (process_[SET] === undefined) {
  process_[SET] = true;
  setGlobalDispatcher(
    new Agent({
      connect: { timeout: PATIENCE_MS },
      headersTimeout: PATIENCE_MS,
      bodyTimeout: PATIENCE_MS,
      // Connections are given up this long before the server would; those kept for less are used once.
      keepAliveTimeoutThreshold: 60_000,
    }),
  );
}
