import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as client from '../../src/client/index.ts';
import * as manifest from '../../src/manifest/index.ts';
import * as entry from '../../src/index.ts';
import { verifies } from '../support/verifies.ts';
import { fromRoot } from './tree.ts';

interface Package {
  name: string;
  bin: Record<string, string>;
  exports: Record<string, string | { types: string; default: string }>;
}

const pkg = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as Package;

describe('the package', () => {
  it('has this name, this command and these entries', () => {
    verifies('library.package', 'names.product');
    expect(pkg.name).toBe('millrace');
    expect(pkg.bin).toEqual({ millrace: 'dist/main.js' });
    expect(pkg.exports).toEqual({
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './client': { types: './dist/client/index.d.ts', default: './dist/client/index.js' },
      './manifest': {
        types: './dist/manifest/index.d.ts',
        default: './dist/manifest/index.js',
      },
      './schemas/*.json': './schemas/*.json',
    });
  });

  it('lets others import exactly these values from its client entry', () => {
    verifies('library.package');
    expect(Object.keys(client).sort()).toEqual([
      'CloudExecutor',
      'EXECUTOR_DEFAULTS',
      'MillraceClient',
      'MillraceConnectionError',
      'MillraceError',
      'WebhookVerificationError',
      'verifyWebhook',
    ]);
  });

  it('lets others import exactly these values from its manifest entry', () => {
    verifies('library.manifest');
    expect(Object.keys(manifest).sort()).toEqual([
      'CONTEXT_DEPTHS',
      'DEFAULT_MANIFEST_LIMITS',
      'DEFAULT_STREAM_TIMEOUT_MS',
      'EditError',
      'STREAM_STATUSES',
      'anyManifestSchema',
      'checkNewStream',
      'editManifest',
      'explainStream',
      'learnDeps',
      'manifestName',
      'manifestSchema',
      'parseManifest',
      'planManifest',
      'planStreams',
      'validateManifest',
    ]);
  });

  it('lets others import exactly these values from its main entry', () => {
    verifies('library.server');
    expect(Object.keys(entry).sort()).toEqual(['loadConfig', 'startServer']);
  });
});
