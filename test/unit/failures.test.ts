// What a command says about each error that can stop it: its code, what to do, and the exit status.
import { expect, it } from 'vitest';
import { ProcessStartError } from '../../src/app/processes/process-start-error.ts';
import { CommandError, usageError } from '../../src/cli/command-error.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { failureOf } from '../../src/cli/failure.ts';
import { MillraceConnectionError, MillraceError } from '../../src/client/index.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { ServiceError, invalid } from '../../src/contract/errors.ts';
import { OrchestratorError } from '../../src/orchestrator/errors.ts';
import { StateDamagedError, StateNotOursError } from '../../src/orchestrator/state/state-errors.ts';
import { KeyringError } from '../../src/platform/keyring.ts';
import { UnusableFolderError } from '../../src/platform/make-folder.ts';
import { PriceFileError } from '../../src/providers/price-file-error.ts';
import { MasterKeyMismatchError } from '../../src/services/provider-keys/secrets.ts';
import { BackupError } from '../../src/store/backup/backup-error.ts';
import { DataFolderInUseError } from '../../src/store/embedded/data-lock.ts';
import { OtherMajorVersionError } from '../../src/store/embedded/placement.ts';
import { ConnectionLostError, DatabaseUnsuitableError } from '../../src/store/postgres/errors.ts';

const folder = { path: '/data', setting: '--data-dir' };
const started = { code: 'EADDRINUSE', message: 'Cannot listen.', hint: 'Choose.', exit: 1 };
const listening = { syscall: 'listen', code: 'EADDRINUSE', address: '127.0.0.1', port: 1 };
const CONFIG = /docs\/config\.md/;

it.each<[Error, string, number, RegExp | undefined]>([
  [new CommandError({ code: 'X', message: 'x', hint: 'y', exit: 7 }), 'X', 7, /^y$/],
  [usageError('x'), 'CONFIG_INVALID', EXIT.usage, /--help/],
  [new ProcessStartError(started), 'EADDRINUSE', 1, /^Choose\.$/],
  [new ProcessStartError({ code: 'ENDED', message: 'x', exit: 1 }), 'ENDED', 1, undefined],
  [new ConfigError(['x']), 'CONFIG_INVALID', EXIT.usage, CONFIG],
  [new KeyringError('x'), 'CONFIG_INVALID', EXIT.usage, CONFIG],
  [new PriceFileError('x', 'y'), 'CONFIG_INVALID', EXIT.usage, CONFIG],
  [new ServiceError('NOT_FOUND', 'x'), 'NOT_FOUND', EXIT.failed, undefined],
  [invalid('email', 'INVALID_EMAIL', 'x'), 'VALIDATION_ERROR', EXIT.usage, undefined],
  [new UnusableFolderError(folder, 'x'), 'FOLDER_UNUSABLE', EXIT.usage, undefined],
  [new DataFolderInUseError('x', 1), 'DATA_FOLDER_IN_USE', EXIT.failed, undefined],
  [new OtherMajorVersionError('x', '9'), 'DATABASE_OTHER_VERSION', EXIT.failed, undefined],
  [new BackupError('BACKUP_DAMAGED', 'x'), 'BACKUP_DAMAGED', EXIT.failed, undefined],
  [new DatabaseUnsuitableError('x'), 'DATABASE_UNSUITABLE', EXIT.failed, undefined],
  [new MasterKeyMismatchError('x'), 'MASTER_KEY_MISMATCH', EXIT.failed, undefined],
  [new StateNotOursError('x', 'y'), 'STATE_FOLDER_UNUSABLE', EXIT.usage, /MILLRACE_STATE_DIR/],
  [new StateDamagedError('/a/b', 'y'), 'STATE_DAMAGED', EXIT.failed, /^Move \/a out of the way/],
  [new OrchestratorError({ code: 'CONFLICT', message: 'x' }), 'CONFLICT', EXIT.failed, undefined],
  [new OrchestratorError({ code: 'NO_SERVER', message: 'x' }), 'NO_SERVER', EXIT.usage, undefined],
  [Object.assign(new Error('x'), listening), 'EADDRINUSE', EXIT.failed, /--port/],
  [new ConnectionLostError('x'), 'DATABASE_UNREACHABLE', EXIT.unreachable, /DATABASE_URL/],
  [new MillraceConnectionError('x'), 'UNREACHABLE', EXIT.unreachable, /millrace serve/],
  [new MillraceError(429, 'RATE_LIMITED', 'x'), 'RATE_LIMITED', EXIT.limited, /Wait a minute/],
  [new MillraceError(418, 'TEAPOT', 'x'), 'TEAPOT', EXIT.failed, undefined],
  [new Error('x'), 'FAILED', EXIT.failed, undefined],
])('%s', async (error, code, exit, hint) => {
  const failure = await failureOf(error);
  expect([failure.code, failure.exit]).toEqual([code, exit]);
  if (hint === undefined) expect(failure.hint).toBeUndefined();
  else expect(failure.hint).toMatch(hint);
});

it('a model that nobody knows gets the nearest ones, from the list that is loaded for it', async () => {
  const unknown = new MillraceError(400, 'VALIDATION_ERROR', 'x', {
    details: [{ path: 'model', code: 'UNKNOWN_MODEL', message: 'x' }],
  });
  const { code, hint } = await failureOf(unknown, { model: 'sim-fas' });
  expect(code).toBe('UNKNOWN_MODEL');
  expect(hint).toMatch(/^Did you mean .*sim-fast.*models$/);
});
