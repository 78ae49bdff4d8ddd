// The client as a package of its own: one file, its types, nothing to install. `npm run pack:client` makes it.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeContractTypes } from './contract-types.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const to = process.argv[2] ?? `${root}dist/client-package`;
const { version, license, engines } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

rmSync(to, { recursive: true, force: true });
await build({
  entryPoints: [`${root}src/client/index.ts`],
  outfile: `${to}/index.js`,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2023',
});
const types = `${to}/types`;
const project = `${root}scripts/client-package/tsconfig.json`;
// Several checkers would look at the same types, each for itself.
execFileSync('tsc', ['--project', project, '--outDir', types, '--singleThreaded'], {
  stdio: 'inherit',
});
for (const folder of readdirSync(types).filter((name) => name !== 'client')) {
  rmSync(`${types}/${folder}`, { recursive: true });
}
writeContractTypes(`${types}/client`, `${root}src`);
cpSync(`${root}scripts/client-package/README.md`, `${to}/README.md`);
cpSync(`${root}LICENSE`, `${to}/LICENSE`);
const description = {
  name: 'millrace-client',
  version,
  description: 'Calls a Millrace server: jobs, runs, executions, usage, webhooks.',
  license,
  type: 'module',
  sideEffects: false,
  exports: { '.': { types: './types/client/index.d.ts', default: './index.js' } },
  files: ['index.js', 'types'],
  engines,
};
writeFileSync(`${to}/package.json`, `${JSON.stringify(description, null, 2)}\n`);
if (process.argv[2] === undefined) {
  execFileSync('npm', ['pack', to, '--pack-destination', root], { stdio: 'inherit' });
}
