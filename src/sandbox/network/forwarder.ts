// Runs inside of a sandbox as the parent of the command: what arrives at a loopback port is forwarded to
// a Unix socket that is bound into the sandbox. A string, because Node inside sees none of our files.

export interface Forward {
  port: number;
  /** As it is called inside. */
  socket: string;
}

const SCRIPT = `
const net = require('node:net');
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const [forwards, file, ...line] = process.argv.slice(1);
const servers = JSON.parse(forwards).map(({ port, socket }) => new Promise((resolve, reject) => {
  const server = net.createServer({ allowHalfOpen: true }, (inside) => {
    const outside = net.connect({ path: socket, allowHalfOpen: true });
    const close = () => { inside.destroy(); outside.destroy(); };
    inside.on('error', close).pipe(outside);
    outside.on('error', close).pipe(inside);
    inside.on('close', () => outside.destroy());
    outside.on('close', () => inside.destroy());
  });
  server.once('error', reject).listen(port, '127.0.0.1', resolve);
}));
Promise.all(servers).then(() => {
  const child = spawn(file, line, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(error.message);
    process.exit(error.code === 'ENOENT' ? 127 : 126);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});
`;

/** The command with the forwards in front of it. */
export function forwardedLine(
  node: string,
  forwards: readonly Forward[],
  command: readonly string[],
): string[] {
  if (forwards.length === 0) return [...command];
  return [node, '--eval', SCRIPT, '--', JSON.stringify(forwards), ...command];
}
