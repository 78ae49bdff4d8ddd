#!/usr/bin/env node
// The command `millrace`.
import { run } from './cli/program.ts';

process.exitCode = await run(process.argv.slice(2));
