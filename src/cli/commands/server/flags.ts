// serve, demo, migrate, secrets, doctor: the server and its database.
import type { Command } from 'commander';
import { Option } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { databaseFlags } from './database-flags.ts';

export function addServe(program: Command, act: Act): void {
  describe(program.command('serve'), 'run the server', [
    'serve',
    'serve --port 0 --json',
    'serve --role worker --database-url postgres://db.example.com/millrace',
  ])
    .addOption(new Option('--host <address>', 'address to listen on (default 127.0.0.1)'))
    .addOption(new Option('--port <number>', 'port to listen on (default 4747; 0: any free one)'))
    .addOption(
      new Option('--role <role>', 'what this process does').choices(['all', 'api', 'worker']),
    )
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./serve.ts')).serve));
}

export function addOperations(program: Command, act: Act): void {
  describe(program.command('migrate'), 'bring the database to the schema of this version', [
    'migrate',
    'migrate --database-url postgres://db.example.com/millrace',
  ])
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./migrate.ts')).migrateDatabase));
  const secrets = describe(
    program.command('secrets'),
    'manage the master keys that seal stored provider keys',
    ['secrets rotate'],
  );
  describe(
    secrets.command('rotate'),
    'make a new master key and move every stored secret under it, while servers run',
    ['secrets rotate', 'secrets rotate --json'],
  )
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./secrets.ts')).rotateSecrets));
  describe(
    program.command('doctor'),
    'check whether Millrace can run here, and say what to do when not',
    ['doctor', 'doctor --json'],
  )
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./doctor.ts')).doctor));
  describe(program.command('demo'), 'start a server and run a few jobs with the simulated model', [
    'demo',
    'demo --exit',
  ])
    .option('--exit', 'stop when the jobs have ended')
    .option('--port <number>', 'port to listen on (default 4747 or the next free one)')
    .addOption(databaseFlags.dataDir())
    .action(act(async () => (await import('./demo.ts')).demo));
}
