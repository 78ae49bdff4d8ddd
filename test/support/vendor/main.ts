// The vendor server as a process of its own: prints {"url": ...} in one line and serves until it is
// told to stop. With --with-parent it also stops when its standard input ends, so that it cannot
// outlive the process that started it.
import { parseArgs } from 'node:util';
import { startVendorServer } from './server.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, 'with-parent': { type: 'boolean' } },
});
const server = await startVendorServer({ port: Number(values.port) });
console.log(JSON.stringify({ url: server.origin }));

const stopped = Promise.withResolvers<void>();
process.once('SIGTERM', stopped.resolve);
process.once('SIGINT', stopped.resolve);
if (values['with-parent']) process.stdin.once('end', stopped.resolve).resume();
await stopped.promise;
await server.close();
process.stdin.destroy();
